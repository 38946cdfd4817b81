import { toByteText } from "../../lib/text/byte-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { Dialect, ListedModel } from "../dialect.ts";
import { toCompletion } from "./anthropic-completion.ts";
import { anthropicRefusal } from "./anthropic-error.ts";
import { AnthropicEvents } from "./anthropic-events.ts";
import { toMessagesRequest } from "./anthropic-request.ts";

/** The version of the Messages API that this dialect is written for. */
const VERSION = "2023-06-01";

export const anthropicDialect: Dialect = {
  request(call) {
    const headers = headersFor(call.credential, call.chat.stream ? "text/event-stream" : "application/json");
    return { path: "/messages", headers, body: [toByteText(JSON.stringify(toMessagesRequest(call)))] };
  },
  readCompletion: toCompletion,
  readEvents: (call) => new AnthropicEvents(call),
  refusal: anthropicRefusal,
  modelsRequest: (_settings, credential) => ({ path: "/models?limit=1000", headers: headersFor(credential, "application/json") }),
  modelsIn,
};

function headersFor(credential: Secret | undefined, accept: string): Record<string, string> {
  const headers = { accept, "user-agent": "tollgate", "anthropic-version": VERSION };
  return credential ? { ...headers, "x-api-key": credential.reveal() } : headers;
}

function modelsIn(text: string): ListedModel[] {
  const answer: unknown = JSON.parse(text);
  if (!isObject(answer) || !Array.isArray(answer["data"])) throw new Error("it does not answer like a model server");
  return answer["data"].filter(isObject).flatMap(({ id, created_at: createdAt, max_input_tokens: context, max_tokens: longest }) => {
    if (typeof id !== "string") return [];
    const createdMs = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    return [
      {
        id,
        ownedBy: "anthropic",
        createdSeconds: Number.isNaN(createdMs) ? undefined : Math.floor(createdMs / 1000),
        contextWindow: isPositive(context) ? context : undefined,
        maxOutputTokens: isPositive(longest) ? longest : undefined,
      },
    ];
  });
}

function isPositive(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) > 0;
}
