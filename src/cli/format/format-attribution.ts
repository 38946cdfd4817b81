import type { LoggedRequest } from "../../../platform-client/types.ts";

/** Rows for the end user, conversation and tags of a request, as far as it has them. */
export function describeAttribution({ user, conversation, tags }: Pick<LoggedRequest, "user" | "conversation" | "tags">): string[][] {
  const named = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return [
    ...(user === null ? [] : [["End user", user]]),
    ...(conversation === null ? [] : [["Conversation", conversation]]),
    ...(named.length === 0 ? [] : [["Tags", named.join(", ")]]),
  ];
}
