import { randomBase62 } from "../text/base62.ts";
import { Secret } from "./secret.ts";

/** 256 bits: it cannot be guessed. */
const TOKEN_LENGTH = 43;

export function makeToken(): Secret {
  return new Secret(randomBase62(TOKEN_LENGTH));
}

/** The stored form of a token, by which it is looked up. It is random enough that a slow or keyed hash would add nothing. */
export function hashToken(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("hex");
}
