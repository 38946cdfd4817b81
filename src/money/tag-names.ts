import type { Schema } from "../lib/schema/schema.ts";

/** The maximum number of tags of a request. */
export const MAX_TAGS = 8;

/** In characters. A longer value in a header is rejected. A longer value in `metadata`, which a framework may have set, is truncated. */
export const MAX_TAG_VALUE = 64;

export const TAG_NAME = "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$";

export const TAG_NAME_IN_WORDS = "1 to 32 of letters, digits, dot, dash and underscore, with a letter or digit first";

export const tagNameSchema = { type: "string", pattern: TAG_NAME, patternInWords: TAG_NAME_IN_WORDS } as const satisfies Schema;
