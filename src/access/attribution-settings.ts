import type { Infer } from "../lib/schema/infer.ts";
import { plainTextSchema } from "../lib/schema/plain-text.ts";
import type { Schema } from "../lib/schema/schema.ts";
import { MAX_TAGS, tagNameSchema } from "../money/tag-names.ts";

/** How the requests of an account are attributed to end users, tags and conversations. */
export interface AttributionSettings {
  /** Whether end users and conversations are stored as the client names them, as a keyed hash, or, with the tags, not at all. */
  readonly identities: Identities;
  /** The fields of `metadata` that are tags. */
  readonly metadataTags: readonly string[];
  /** The field of `metadata` that names the conversation, for clients that do not send a header. */
  readonly conversationKey: string | null;
}

const IDENTITIES = ["plain", "hashed", "off"] as const;
type Identities = (typeof IDENTITIES)[number];

export const PLAIN_ATTRIBUTION: AttributionSettings = { identities: "plain", metadataTags: [], conversationKey: null };

const attributionSchema = {
  type: "string",
  enum: IDENTITIES,
  description:
    "Whether end users and conversations are stored as clients name them (`plain`, the default), as a keyed hash (`hashed`), or, with the tags, not at all (`off`).",
} as const satisfies Schema;

const metadataTagsSchema = {
  type: "array",
  maxItems: MAX_TAGS,
  items: tagNameSchema,
  description: "The fields of `metadata` in requests that are tags, such as `team`. None by default.",
} as const satisfies Schema;

const conversationKeySchema = {
  ...plainTextSchema,
  minLength: 1,
  maxLength: 64,
  nullable: true,
  description: "The field of `metadata` in requests that names the conversation, if the client sends no header for it.",
} as const satisfies Schema;

/** The settings in requests, responses and the config file. */
export const attributionProperties = {
  attribution: attributionSchema,
  metadata_tags: metadataTagsSchema,
  conversation_key: conversationKeySchema,
} as const satisfies Record<string, Schema>;

type WireAttribution = { readonly [Name in keyof typeof attributionProperties]?: Infer<(typeof attributionProperties)[Name]> };

/** Merges a change: given fields replace, omitted fields stay. */
export function changeAttribution(settings: AttributionSettings, changes: WireAttribution): AttributionSettings {
  const { attribution, metadata_tags: metadataTags, conversation_key: conversationKey } = changes;
  return {
    identities: attribution ?? settings.identities,
    metadataTags: metadataTags ?? settings.metadataTags,
    conversationKey: conversationKey === undefined ? settings.conversationKey : conversationKey,
  };
}

export function viewAttribution({ identities, metadataTags, conversationKey }: AttributionSettings): Required<WireAttribution> {
  return { attribution: identities, metadata_tags: metadataTags, conversation_key: conversationKey };
}
