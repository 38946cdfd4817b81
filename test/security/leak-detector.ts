import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomBase62 } from "../../src/lib/text/base62.ts";
import { formsOf } from "./secret-forms.ts";

/** Of these the beginning is public: it names what the rest opens. */
const PUBLIC_PART = /^(sk-service-|tollgate-access-)[0-9A-Za-z]{12}/;

interface Recorded {
  readonly place: string;
  readonly text: string;
  /** The secrets that this is the one place to show. */
  readonly shows: readonly string[];
}

/** Remembers every secret there is and everything that was said, and finds the ones in the other. */
export class LeakDetector {
  readonly #secrets = new Map<string, string>();
  readonly #recorded: Recorded[] = [];

  /** Makes a secret that needs escaping wherever there is any. It is short enough to be quoted in a message. */
  invent(name: string): string {
    return this.keep(name, `ca+/="&<\\${randomBase62(24)}`);
  }

  /** Remembers a secret, and gives it back. */
  keep(name: string, secret: string): string {
    if (secret.length < 12) throw new Error(`${name} is too short to be told from other text: ${secret}`);
    this.#secrets.set(secret, name);
    return secret;
  }

  get secretCount(): number {
    return this.#secrets.size;
  }

  /** Remembers something that was said, and where. */
  record(place: string, text: string, shows: readonly string[] = []): void {
    this.#recorded.push({ place, text, shows });
  }

  /** Reads every file of a folder. What is itself a secret is in a file of its own, by name. */
  read(place: string, folder: string, secretFiles: Readonly<Record<string, string>> = {}): void {
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), "latin1");
      const own = secretFiles[file.name];
      this.record(`${place}: ${file.name}`, text, own === undefined ? [] : [own]);
    }
  }

  /** Every secret that is where it should not be. */
  leaks(): string[] {
    return [...this.#secrets].flatMap(([secret, name]) => {
      const forms = formsOf(secret, PUBLIC_PART.exec(secret)?.[0]);
      const found = this.#recorded.filter(({ text, shows }) => !shows.includes(secret) && forms.some((form) => text.includes(form)));
      return found.map(({ place, text }) => `${name} in ${place}: ${excerpt(text, forms)}`);
    });
  }

  get placeCount(): number {
    return this.#recorded.length;
  }
}

function excerpt(text: string, forms: readonly string[]): string {
  const form = forms.find((each) => text.includes(each))!;
  const at = text.indexOf(form);
  return text.slice(Math.max(0, at - 60), at + form.length + 20);
}
