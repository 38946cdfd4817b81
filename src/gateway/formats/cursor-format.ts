import { parseJson, type JsonBody } from "../../http/read-json.ts";
import { parseExact } from "../../lib/json/exact-json.ts";
import { withFields } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { refuseViolation } from "../../requests/api-error.ts";
import { fieldIn } from "../../requests/chat-request.ts";
import type { CallerFormat } from "./caller-format.ts";
import { chatFormat } from "./chat-format.ts";
import { NOTHING_SOLD } from "../../requests/premium-demand.ts";
import { ResponseTools } from "./responses/response-tools.ts";
import { findResponsesViolation } from "./responses/responses-request.ts";
import { ResponsesTranslation, untranslatedIn } from "./responses/responses-to-chat.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Chat completions where the Responses API is served, too. Cursor's agent mode sends Responses bodies to chat completions, and expects
 * chunks (https://github.com/BerriAI/litellm/issues/35554); in its other modes some tools have the form of the Responses API.
 */
export const cursorFormat: CallerFormat = {
  ...chatFormat,
  read(body, headers) {
    const { input, messages, tools } = body.outline;
    if (input !== undefined && messages === undefined) return chatFormat.read(fromResponses(body), headers);
    return chatFormat.read(Array.isArray(tools) && tools.some(isFlat) ? withNestedTools(body) : body, headers);
  },
};

function fromResponses(body: JsonBody): JsonBody {
  refuseViolation(findResponsesViolation(body.outline, NOTHING_SOLD));
  const value = parseExact(body.text) as Json;
  // Fields of chat completions among them stay, such as limits of the output.
  const kept = [...untranslatedIn(value), "stream_options", "user", "safety_identifier", "metadata"].filter((name) => value[name] != null);
  const own = Object.fromEntries(kept.map((name) => [name, value[name]]));
  return parseJson(Buffer.from(JSON.stringify({ ...own, ...new ResponsesTranslation(new ResponseTools(), false).ofBody(value) })));
}

function isFlat(tool: unknown): boolean {
  if (!isObject(tool) || typeof tool["name"] !== "string") return false;
  return (tool["type"] === "function" && tool["function"] === undefined) || (tool["type"] === "custom" && tool["custom"] === undefined);
}

function withNestedTools(body: JsonBody): JsonBody {
  const tools = (fieldIn(body, "tools", parseExact) as readonly Json[]).map((tool) => (isFlat(tool) ? toNested(tool) : tool));
  const changed = withFields(body.byteText, body.fields, { tools: toByteText(JSON.stringify(tools)) });
  return parseJson(Buffer.from(changed.join(""), "latin1"));
}

function toNested({ type, format, ...tool }: Json): Json {
  if (!isObject(format)) return { type, [String(type)]: tool };
  const { type: kind, ...grammar } = format;
  return { type, [String(type)]: { ...tool, format: kind === "grammar" ? { type: kind, grammar } : format } };
}
