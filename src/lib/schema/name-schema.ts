import { plainTextSchema } from "./plain-text.ts";
import type { Schema } from "./schema.ts";

/** What people call themselves, their keys and accounts. It is shown beside what others have named. */
export const nameSchema: Schema = { ...plainTextSchema, minLength: 1, maxLength: 100 };
