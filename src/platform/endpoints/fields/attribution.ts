import type { Schema } from "../../../lib/schema/schema.ts";
import type { Attribution, Tags } from "../../../money/attribution.ts";

/** The end user, tags and conversation of a request, in responses. */
export const attributionSchemas = {
  user: {
    type: "string",
    nullable: true,
    description: "The end user, as the account stores it; null without one, and `erased` where it was erased.",
  },
  tags: { title: "Tags", type: "object", additionalProperties: { type: "string" }, description: "The values of the tags, by name." },
  conversation: { type: "string", nullable: true, description: "The conversation, as the account stores it; null without one." },
} as const satisfies Record<string, Schema>;

export function viewAttributionOf(attribution: Attribution | null | undefined): {
  user: string | null;
  tags: Tags;
  conversation: string | null;
} {
  const { user = null, tags = {}, conversation = null } = attribution ?? {};
  return { user, tags, conversation };
}
