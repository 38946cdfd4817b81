import type { LoggedRequest } from "../../../platform-client/types.ts";

const ENDPOINTS = {
  chat_completions: "chat completions",
  messages: "Messages API",
  responses: "Responses API",
  embeddings: "embeddings",
} as const;

/** Rows for the endpoint of a request, and for its end user, conversation and tags, as far as it has them. */
export function describeAttribution(request: Pick<LoggedRequest, "user" | "conversation" | "tags" | "endpoint">): string[][] {
  const { user, conversation, tags, endpoint } = request;
  const named = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return [
    ["Endpoint", ENDPOINTS[endpoint]],
    ...(user === null ? [] : [["End user", user]]),
    ...(conversation === null ? [] : [["Conversation", conversation]]),
    ...(named.length === 0 ? [] : [["Tags", named.join(", ")]]),
  ];
}
