import { plainTextSchema } from "./plain-text.ts";
import type { Schema } from "./schema.ts";

/** Display names of people, keys and accounts. */
export const nameSchema = { ...plainTextSchema, minLength: 1, maxLength: 100 } as const satisfies Schema;
