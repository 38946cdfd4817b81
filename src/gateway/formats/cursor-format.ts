import { parseJson, type JsonBody } from "../../http/read-json.ts";
import { withFields } from "../../lib/json/json-text.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { toByteText } from "../../lib/text/byte-text.ts";
import { refuseViolation } from "../../requests/api-error.ts";
import type { CallerFormat } from "./caller-format.ts";
import { chatFormat } from "./chat-format.ts";
import { ResponseTools } from "./responses/response-tools.ts";
import { findResponsesViolation } from "./responses/responses-request.ts";
import { ResponsesTranslation } from "./responses/responses-to-chat.ts";

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

/** Fields of both formats that the translation for upstreams leaves to the gateway. */
const OF_BOTH = ["stream_options", "user", "safety_identifier"];

function fromResponses(body: JsonBody): JsonBody {
  refuseViolation(findResponsesViolation(body.outline));
  const { value } = body;
  const own = Object.fromEntries(OF_BOTH.filter((name) => value[name] != null).map((name) => [name, value[name]]));
  return parseJson(Buffer.from(JSON.stringify({ ...new ResponsesTranslation(new ResponseTools(), false).ofBody(value), ...own })));
}

function isFlat(tool: unknown): boolean {
  return isObject(tool) && typeof tool["name"] === "string" && tool["function"] === undefined && tool["custom"] === undefined;
}

function withNestedTools(body: JsonBody): JsonBody {
  const tools = (body.value["tools"] as readonly Json[]).map((tool) => (isFlat(tool) ? toNested(tool) : tool));
  const changed = withFields(body.byteText, body.fields, { tools: toByteText(JSON.stringify(tools)) });
  return parseJson(Buffer.from(changed.join(""), "latin1"));
}

function toNested({ type = "function", ...tool }: Json): Json {
  return { type, [String(type)]: tool };
}
