import type { QueryOf } from "../../operation.ts";
import { storedIdentities, storedName } from "../../../access/stored-identity.ts";
import { TAG_NAME } from "../../../money/tag-names.ts";
import type { Secret } from "../../../lib/secret/secret.ts";
import { tagDimension, type AttributionDimension } from "../../../money/attribution.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { Schema } from "../../../lib/schema/schema.ts";

const TAG = new RegExp(TAG_NAME);

/** The filters by attribution, of usage and of the request log. */
export const attributedQuery = {
  user: {
    type: "string",
    maxLength: 1000,
    description: "Of one end user, as the client names it or as it is stored; `none` for requests without one.",
  },
  tag: { type: "string", maxLength: 200, description: "Of one value of a tag, as `NAME:VALUE`, such as `team:search`." },
  conversation: { type: "string", maxLength: 1000, description: "Of one conversation, as the client names it or as it is stored." },
} as const satisfies Record<string, Schema>;

type AttributedQuery = QueryOf<typeof attributedQuery>;

/** A filter by end user, tag or conversation: the names that it accepts. */
export interface AttributedFilter {
  readonly param: keyof AttributedQuery;
  readonly dimension: AttributionDimension;
  readonly names: readonly string[];
}

/** The filters of a query. Those by end user and conversation need an account, of which each name is. Throws a 400 that names the field. */
export function readAttributedFilters(query: AttributedQuery, accountId: string | undefined, hashSecret: Secret): AttributedFilter[] {
  const { user, tag, conversation } = query;
  const identity = (param: "user" | "conversation", id: string | undefined): AttributedFilter[] => {
    if (id === undefined) return [];
    if (accountId === undefined)
      throw refusal(param, "needs an account or a key: end users and conversations of two accounts are different ones");
    return [{ param, dimension: param, names: storedIdentities(id, param, accountId, hashSecret) }];
  };
  return [...identity("user", user), ...(tag === undefined ? [] : [readTag(tag)]), ...identity("conversation", conversation)];
}

function readTag(text: string): AttributedFilter {
  const at = text.indexOf(":");
  const [name, value] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!TAG.test(name) || value === "") throw refusal("tag", "must be the name and the value of a tag, such as team:search");
  return { param: "tag", dimension: tagDimension(name), names: [value, storedName(value, "tag")] };
}

function refusal(param: keyof AttributedQuery, problem: string): ApiError {
  return new ApiError("invalid_value", `${param} ${problem}.`, { param });
}
