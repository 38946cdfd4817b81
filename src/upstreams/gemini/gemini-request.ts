import { toByteText } from "../../lib/text/byte-text.ts";
import { mappedBody } from "../../requests/map-parameters.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import { wrongValue } from "../unsupported-parameter.ts";
import type { WireRequest } from "../dialect.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toConversation, type Content, type Conversation } from "./gemini-contents.ts";
import { toGenerationConfig } from "./gemini-generation-config.ts";
import { needsSignatures, takesSystemInstruction } from "./gemini-model.ts";
import type { Part } from "./gemini-parts.ts";
import { toTools } from "./gemini-tools.ts";

/** The value that Google documents for a call whose thought signature is lost: the model continues without its earlier thoughts. */
const LOST_SIGNATURE = "skip_thought_signature_validator";

/** The content of an added turn. The API rejects empty text. */
const BLANK: Part = { text: " " };

/** Translates a chat request into a `generateContent` request. */
export function toGeminiRequest(call: UpstreamCall, settings: RemoteSettings): WireRequest {
  const { chat, upstreamModel, credential, parameterMapping } = call;
  const fields = mappedBody(chat.body, parameterMapping);
  const { system, contents } = complete(toConversation(chat.messages), upstreamModel);
  if (needsSignatures(upstreamModel)) signCurrentTurn(contents);
  if (!knowsCallIds(settings)) dropCallIds(contents);
  const body = {
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    contents,
    ...toTools(fields),
    generationConfig: toGenerationConfig(fields, call),
  };
  const method = chat.stream ? ":streamGenerateContent?alt=sse" : ":generateContent";
  const accept = chat.stream ? "text/event-stream" : "application/json";
  return { path: `${pathOf(upstreamModel)}${method}`, headers: headersFor(credential, accept), body: [toByteText(JSON.stringify(body))] };
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/count-tokens */
export function toCountRequest(credential: Secret | undefined, upstreamModel: string): WireRequest {
  const body = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };
  const headers = headersFor(credential, "application/json");
  return { path: `${pathOf(upstreamModel)}:countTokens`, headers, body: [toByteText(JSON.stringify(body))] };
}

/** The headers of every request: our credential, and none of the caller's headers. */
export function headersFor(credential: Secret | undefined, accept: string): Record<string, string> {
  return { accept, "user-agent": "tollgate", ...(credential && { "x-goog-api-key": credential.reveal() }) };
}

/**
 * A plain name goes under `models/`; a name with a path (`tunedModels/…`, `publishers/google/models/…`) is used as it is. Each segment
 * is percent-encoded, and a name with `.`, `..` or empty segments is encoded as one segment, which prevents path traversal.
 */
function pathOf(upstreamModel: string): string {
  const steps = upstreamModel.toWellFormed().split("/");
  const isPath = steps.length > 1 && steps.every((step) => !/^\.{0,2}$/.test(step));
  return isPath ? `/${steps.map(encodeURIComponent).join("/")}` : `/models/${encodeURIComponent(steps.join("/"))}`;
}

/**
 * The API requires a user turn first. A conversation of system messages only is sent as a user turn; one that starts with the assistant
 * gets a blank user turn before it.
 */
function complete({ system, contents }: Conversation, upstreamModel: string): Conversation {
  const [first] = contents;
  if (!first && system.length === 0) throw wrongValue(["messages"], "must say something");
  if (!first) return { system: [], contents: [{ role: "user", parts: [...system] }] };
  const leads = takesSystemInstruction(upstreamModel) ? [] : system;
  const instructions = leads.length === 0 ? system : [];
  if (first.role === "user")
    return { system: instructions, contents: [{ role: "user", parts: [...leads, ...first.parts] }, ...contents.slice(1)] };
  return { system: instructions, contents: [{ role: "user", parts: leads.length > 0 ? [...leads] : [BLANK] }, ...contents] };
}

/**
 * The API rejects a request unless the first call of each step in the current turn has its thought signature. Clients that drop
 * unknown fields have lost it. Earlier turns are not checked.
 */
function signCurrentTurn(contents: readonly Content[]): void {
  const lastUserTurn = contents.findLastIndex(({ role, parts }) => role === "user" && parts.some((part) => !part.functionResponse));
  for (const { parts } of contents.slice(lastUserTurn + 1)) {
    const call = parts.find(({ functionCall }) => functionCall);
    if (call) call.thoughtSignature ??= LOST_SIGNATURE;
  }
}

/** Only the Gemini API's beta versions support call ids; Vertex and `v1` reject the field. */
function knowsCallIds({ baseUrl }: RemoteSettings): boolean {
  return /\/v1(beta|alpha)\/*$/.test(new URL(baseUrl).pathname);
}

function dropCallIds(contents: readonly Content[]): void {
  for (const { functionCall, functionResponse } of contents.flatMap(({ parts }) => parts)) {
    delete functionCall?.id;
    delete functionResponse?.id;
  }
}
