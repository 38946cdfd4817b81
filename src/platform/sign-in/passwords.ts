import { GatewayError } from "../../requests/gateway-error.ts";
import type { Schema } from "../../lib/schema/schema.ts";

/** OWASP's first choice for Argon2id: 19 MiB and two passes, about 50 ms of one core. */
const ARGON = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Each takes 19 MiB and a core: more at once would let strangers, who need no password to try one, exhaust the machine. */
const AT_ONCE = 2;
const MAX_WAITING = 50;

/** The hash of a password that nobody has. */
const NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$nwoex/m/o5qQpMXHCrieHWx02ILnLs4cNDym6cXSUMo$RkC8bSsZEqtyJb/A/FU9OJp5CsH7RXRFJpR/wEqmQwI";

/** A password that somebody chooses. Length is what makes it hard to guess; rules about its characters do not. What everybody tries first is in `weak-passwords.ts`. */
export const newPasswordSchema: Schema = { type: "string", minLength: 12, maxLength: 200, isSecret: true };

/** A password that somebody has. */
export const passwordSchema: Schema = { type: "string", minLength: 1, maxLength: 200, isSecret: true };

export type PasswordWork = Pick<typeof Bun.password, "hash" | "verify">;

/**
 * Hashes passwords and checks them, a few at a time. Strangers can fill the line they wait in, because trying a password takes
 * none; so who is known waits in another, which is served first.
 */
export class Passwords {
  readonly #work: PasswordWork;
  #running = 0;
  readonly #known: (() => void)[] = [];
  readonly #strangers: (() => void)[] = [];

  constructor(work: PasswordWork = Bun.password) {
    this.#work = work;
  }

  /** For whoever has a session, or a link: nobody else comes to choose a password. */
  hash(password: string): Promise<string> {
    return this.#inTurn(this.#known, () => this.#work.hash(normalize(password), ARGON));
  }

  /** Whether it is the password. Where there is none to compare it with it takes as long, so that the time tells nothing. */
  isRight(password: string, hash: string | null, isKnown: boolean): Promise<boolean> {
    const line = isKnown ? this.#known : this.#strangers;
    return this.#inTurn(line, async () => (await this.#work.verify(normalize(password), hash ?? NOBODYS)) && hash !== null);
  }

  async #inTurn<T>(line: (() => void)[], work: () => Promise<T>): Promise<T> {
    if (this.#running === AT_ONCE) await waitIn(line);
    else this.#running++;
    try {
      return await work();
    } finally {
      // A place is handed on, not given up: nobody can slip in between.
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

async function waitIn(line: (() => void)[]): Promise<void> {
  if (line.length >= MAX_WAITING) {
    throw new GatewayError("overloaded", "Too many people are signing in at this moment.", { retryAfterSeconds: 5 });
  }
  await new Promise<void>((resolve) => line.push(resolve));
}

/** Two keyboards may write one letter in two ways, and it is still the same password. */
function normalize(password: string): string {
  return password.normalize("NFKC");
}
