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

/** What Google documents for a call whose signature is lost: the model goes on without what it had thought. */
const LOST_SIGNATURE = "skip_thought_signature_validator";

/** What a turn says that has to be there and was not: an empty text is refused. */
const NOTHING: Part = { text: " " };

/** A chat request as `generateContent` has it. */
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

/** What every request carries: our credential there, and nothing of a caller's. */
export function headersFor(credential: Secret | undefined, accept: string): Record<string, string> {
  return { accept, "user-agent": "tollgate", ...(credential && { "x-goog-api-key": credential.reveal() }) };
}

/**
 * A name stands under `models/`; one that says itself where it stands (`tunedModels/…`, `publishers/google/models/…`) is taken
 * at its word. Each step is encoded, and a name with steps that lead elsewhere counts as one step.
 */
function pathOf(upstreamModel: string): string {
  const steps = upstreamModel.toWellFormed().split("/");
  const isPath = steps.length > 1 && steps.every((step) => !/^\.{0,2}$/.test(step));
  return isPath ? `/${steps.map(encodeURIComponent).join("/")}` : `/models/${encodeURIComponent(steps.join("/"))}`;
}

/**
 * There must be a turn, and the first must be the user's. A conversation of instructions alone is asked as a question; one that
 * begins with an answer gets an empty turn before it.
 */
function complete({ system, contents }: Conversation, upstreamModel: string): Conversation {
  const [first] = contents;
  if (!first && system.length === 0) throw wrongValue(["messages"], "must say something");
  if (!first) return { system: [], contents: [{ role: "user", parts: [...system] }] };
  const leads = takesSystemInstruction(upstreamModel) ? [] : system;
  const kept = leads.length === 0 ? system : [];
  if (first.role === "user") return { system: kept, contents: [{ role: "user", parts: [...leads, ...first.parts] }, ...contents.slice(1)] };
  return { system: kept, contents: [{ role: "user", parts: leads.length > 0 ? [...leads] : [NOTHING] }, ...contents] };
}

/**
 * Each step of the turn that is under way must have its first call signed, or the request is refused. Clients that lose fields
 * they do not know have lost the signature. Earlier turns are not checked.
 */
function signCurrentTurn(contents: readonly Content[]): void {
  const question = contents.findLastIndex(({ role, parts }) => role === "user" && parts.some((part) => !part.functionResponse));
  for (const { parts } of contents.slice(question + 1)) {
    const call = parts.find(({ functionCall }) => functionCall);
    if (call) call.thoughtSignature ??= LOST_SIGNATURE;
  }
}

/** Of Google's addresses only the Gemini API's beta knows ids of calls; Vertex and `v1` refuse the field. */
function knowsCallIds({ baseUrl }: RemoteSettings): boolean {
  return /\/v1(beta|alpha)\/*$/.test(new URL(baseUrl).pathname);
}

function dropCallIds(contents: readonly Content[]): void {
  for (const { functionCall, functionResponse } of contents.flatMap(({ parts }) => parts)) {
    delete functionCall?.id;
    delete functionResponse?.id;
  }
}
