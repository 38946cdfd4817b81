import { ApiError } from "../../requests/api-error.ts";
import type { Schema } from "../../lib/schema/schema.ts";

/** OWASP's first choice for Argon2id: 19 MiB and two passes, about 50 ms of one core. */
const ARGON = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

/** The maximum number of hashes at once. Each takes 19 MiB and a core: with more, unauthenticated clients could exhaust the machine. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 50;

/** The hash of a random password. */
const DUMMY_HASH = "$argon2id$v=19$m=19456,t=2,p=1$nwoex/m/o5qQpMXHCrieHWx02ILnLs4cNDym6cXSUMo$RkC8bSsZEqtyJb/A/FU9OJp5CsH7RXRFJpR/wEqmQwI";

/** A new password. Length makes it hard to guess; character rules do not. `weak-passwords.ts` rejects the most common ones. */
export const newPasswordSchema = { type: "string", minLength: 12, maxLength: 200, isSecret: true } as const satisfies Schema;

/** An existing password. */
export const passwordSchema = { type: "string", minLength: 1, maxLength: 200, isSecret: true } as const satisfies Schema;

type PasswordWork = Pick<typeof Bun.password, "hash" | "verify">;

/**
 * Hashes and verifies passwords with a concurrency limit. Unauthenticated clients can fill their queue, so authenticated people have a
 * separate queue, which is served first.
 */
export class Passwords {
  readonly #work: PasswordWork;
  #running = 0;
  readonly #known: (() => void)[] = [];
  readonly #strangers: (() => void)[] = [];

  constructor(work: PasswordWork = Bun.password) {
    this.#work = work;
  }

  /** For people with a session or a link: no other people set a password. */
  hash(password: string): Promise<string> {
    return this.#inTurn(this.#known, () => this.#work.hash(normalize(password), ARGON));
  }

  /** Verifies a password. If there is no hash, it takes the same time, so that the time reveals nothing. */
  verify(password: string, hash: string | null, isKnown: boolean): Promise<boolean> {
    const line = isKnown ? this.#known : this.#strangers;
    return this.#inTurn(line, async () => (await this.#work.verify(normalize(password), hash ?? DUMMY_HASH)) && hash !== null);
  }

  async #inTurn<T>(line: (() => void)[], work: () => Promise<T>): Promise<T> {
    if (this.#running === MAX_CONCURRENT) await waitIn(line);
    else this.#running++;
    try {
      return await work();
    } finally {
      // The slot is handed over, not released, so that nobody can jump the queue.
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

async function waitIn(line: (() => void)[]): Promise<void> {
  if (line.length >= MAX_WAITING) {
    throw new ApiError("overloaded", "Too many people are signing in. Try again in a few seconds.", { retryAfterSeconds: 5 });
  }
  await new Promise<void>((resolve) => line.push(resolve));
}

/** Different keyboards may encode the same letter differently, so equivalent encodings count as the same password. */
function normalize(password: string): string {
  return password.normalize("NFKC");
}
