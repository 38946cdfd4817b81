import { randomBase62 } from "../text/base62.ts";
import { Secret } from "./secret.ts";

/** 256 bits: nobody guesses one, so whoever has it may be taken for whom it was given to. */
const TOKEN_LENGTH = 43;

export function makeToken(): Secret {
  return new Secret(randomBase62(TOKEN_LENGTH));
}

/** What is kept of a token, and what it is found by. It is too random for a slow hash, or a keyed one, to add anything. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("hex");
}
