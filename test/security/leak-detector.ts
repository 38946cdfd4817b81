import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { randomBase62 } from "../../src/lib/text/base62.ts";
import { formsOf } from "./secret-forms.ts";

/** Prefixes of secrets that are public: they name what the secret gives access to. */
const PUBLIC_PART = /^(sk-service-|tollgate-access-)[0-9A-Za-z]{12}/;

interface RecordedText {
  readonly place: string;
  readonly text: string;
  /** The secrets that only this place may show. */
  readonly shows: readonly string[];
}

/** Records every secret and all output, and finds secrets in the output. */
export class LeakDetector {
  readonly #secrets = new Map<string, string>();
  readonly #recorded: RecordedText[] = [];

  /** Creates a secret that every format must escape. It is short enough to be quoted in a message. */
  invent(name: string): string {
    return this.keep(name, `ca+/="&<\\${randomBase62(24)}`);
  }

  /** Records a secret, and returns it. */
  keep(name: string, secret: string): string {
    if (secret.length < 12) throw new Error(`${name} is too short to be told from other text: ${secret}`);
    this.#secrets.set(secret, name);
    return secret;
  }

  get secretCount(): number {
    return this.#secrets.size;
  }

  /** Records an output, and where it appeared. */
  record(place: string, text: string, shows: readonly string[] = []): void {
    this.#recorded.push({ place, text, shows });
  }

  /** Reads every file of a folder. Files that consist of a secret are given by name. */
  read(place: string, folder: string, secretFiles: Readonly<Record<string, string>> = {}): void {
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = readFileSync(join(file.parentPath, file.name), "latin1");
      const own = secretFiles[file.name];
      this.record(`${place}: ${file.name}`, text, own === undefined ? [] : [own]);
    }
  }

  /** Every secret in a place where it must not be. */
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
