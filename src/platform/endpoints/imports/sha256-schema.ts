import type { Schema } from "../../../lib/schema/schema.ts";

export const sha256Schema = {
  type: "string",
  pattern: "^[0-9a-f]{64}$",
  patternInWords: "the SHA-256 of the plaintext key: 64 hexadecimal digits in lower case",
  description: "The SHA-256 of the plaintext key. It is stored as a keyed hash.",
} as const satisfies Schema;
