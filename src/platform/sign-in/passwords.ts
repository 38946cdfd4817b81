import { GatewayError } from "../../vocabulary/gateway-error.ts";
import type { Person } from "../../vocabulary/person.ts";
import type { Schema } from "../../vocabulary/schema.ts";

/** OWASP's first choice for Argon2id: 19 MiB and two passes, about 50 ms of one core. */
const ARGON = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** Each takes 19 MiB and a core: more at once would let strangers, who need no password to try one, exhaust the machine. */
const AT_ONCE = 2;
const MAX_WAITING = 50;

/** The hash of a password that nobody has. */
const NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$nwoex/m/o5qQpMXHCrieHWx02ILnLs4cNDym6cXSUMo$RkC8bSsZEqtyJb/A/FU9OJp5CsH7RXRFJpR/wEqmQwI";

/** A password that somebody chooses. Length is what makes it hard to guess; rules about its characters do not. */
export const newPasswordSchema: Schema = { type: "string", minLength: 12, maxLength: 200, isSecret: true };

/** A password that somebody has. */
export const passwordSchema: Schema = { type: "string", minLength: 1, maxLength: 200, isSecret: true };

/** Refuses what everybody would try first. `param` is the field that has it. */
export function refuseObvious(password: string, { email, name }: Pick<Person, "email" | "name">, param: string): void {
  const guess = password.toLowerCase();
  if (guess !== email && guess !== name.toLowerCase()) return;
  throw new GatewayError("invalid_value", `${param} must not be the email address or the name.`, { param });
}

export type PasswordWork = Pick<typeof Bun.password, "hash" | "verify">;

/** Hashes passwords and checks them, a few at a time. */
export class Passwords {
  readonly #work: PasswordWork;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(work: PasswordWork = Bun.password) {
    this.#work = work;
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#work.hash(normalize(password), ARGON));
  }

  /** Whether it is the password. Where there is none to compare it with it takes as long, so that the time tells nothing. */
  isRight(password: string, hash: string | null): Promise<boolean> {
    return this.#inTurn(async () => (await this.#work.verify(normalize(password), hash ?? NOBODYS)) && hash !== null);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === AT_ONCE) await this.#wait();
    else this.#running++;
    try {
      return await work();
    } finally {
      // A place is handed on, not given up: nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      throw new GatewayError("overloaded", "Too many people are signing in at this moment.", { retryAfterSeconds: 5 });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Two keyboards may write one letter in two ways, and it is still the same password. */
function normalize(password: string): string {
  return password.normalize("NFKC");
}
