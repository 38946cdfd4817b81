import { toByteText } from "../../lib/text/byte-text.ts";
import { mappedBody } from "../../requests/map-parameters.ts";
import type { Secret } from "../../lib/secret/secret.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import { wrongValue, unsupportedParameter } from "../unsupported-parameter.ts";
import type { WireRequest } from "../dialect.ts";
import type { UpstreamCall } from "../upstream.ts";
import { toConversation, type Content, type Conversation } from "./gemini-contents.ts";
import { toGenerationConfig } from "./gemini-generation-config.ts";
import { needsSignatures, takesSystemInstruction } from "./gemini-model.ts";
import type { Part } from "./gemini-parts.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";

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

/** The path of a model below the base URL. Each segment of its name is percent-encoded. */
export function pathOf(upstreamModel: string): string {
  return `/${segmentsOf(upstreamModel).map(encodeURIComponent).join("/")}`;
}

/** The name of a model in the body of a request. */
export function resourceNameOf(upstreamModel: string): string {
  return segmentsOf(upstreamModel).join("/");
}

/**
 * A plain name goes under `models/`; a name with a path (`tunedModels/…`, `publishers/google/models/…`) is used unchanged. A name with `.`,
 * `..` or empty segments is one segment, which prevents path traversal.
 */
function segmentsOf(upstreamModel: string): readonly string[] {
  const segments = upstreamModel.toWellFormed().split("/");
  const isPath = segments.length > 1 && segments.every((segment) => !/^\.{0,2}$/.test(segment));
  return isPath ? segments : ["models", segments.join("/")];
}

/**
 * The API requires a user turn first. A conversation of system messages only is sent as a user turn; a conversation that starts with the
 * assistant gets a blank user turn before it.
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

type Fields = Readonly<Record<string, unknown>>;

/** Function declarations and the calling mode. */
interface Tools {
  readonly tools?: readonly object[];
  readonly toolConfig?: object;
}

/** Translates `tools` and `tool_choice`. Both are omitted if there are no tools. */
export function toTools(fields: Fields): Tools {
  const { tools = [], tool_choice: choice } = fields;
  const functionDeclarations = (tools as unknown[]).map((tool, at) => toDeclaration(tool, ["tools", at]));
  const functionCallingConfig = toCallingConfig(choice, new Set(functionDeclarations.map(({ name }) => name)));
  if (functionDeclarations.length === 0) return {};
  return { tools: [{ functionDeclarations }], ...(functionCallingConfig && { toolConfig: { functionCallingConfig } }) };
}

function toDeclaration(tool: unknown, path: Path): { readonly name: string } {
  const fn = isObject(tool) ? tool["function"] : undefined;
  if (!isObject(tool) || tool["type"] !== "function") throw unsupportedParameter(path, "must be of the type function for this model");
  const name = isObject(fn) ? fn["name"] : undefined;
  if (!isObject(fn) || typeof name !== "string" || name === "") {
    throw wrongValue([...path, "function", "name"], "must be the name of a function");
  }
  const { description, parameters } = fn;
  if (parameters != null && !isObject(parameters)) throw wrongValue([...path, "function", "parameters"], "must be an object");
  return {
    name,
    ...(typeof description === "string" && { description }),
    // Sent as JSON Schema, not in the older `parameters`, which supports only a subset of JSON Schema.
    ...(isObject(parameters) && { parametersJsonSchema: parameters }),
  };
}

function toCallingConfig(choice: unknown, declared: ReadonlySet<string>): object | undefined {
  if (choice === undefined) return undefined;
  if (choice === "auto") return { mode: "AUTO" };
  if (choice === "none") return { mode: "NONE" };
  if (declared.size === 0) throw wrongValue(["tool_choice"], "needs tools to choose from");
  if (choice === "required") return { mode: "ANY" };
  if (isObject(choice) && choice["type"] === "function") {
    return { mode: "ANY", allowedFunctionNames: [nameIn(choice, ["tool_choice"], declared)] };
  }
  if (isObject(choice) && choice["type"] === "allowed_tools") return toAllowed(choice["allowed_tools"], declared);
  throw unsupportedParameter(["tool_choice"], "must be auto, none, required or a function for this model");
}

/** `VALIDATED` allows text as well as calls of the listed functions. The API accepts names with `VALIDATED` and `ANY`, not with `AUTO`. */
function toAllowed(allowed: unknown, declared: ReadonlySet<string>): object {
  const tools = isObject(allowed) && Array.isArray(allowed["tools"]) ? (allowed["tools"] as unknown[]) : [];
  if (!isObject(allowed) || tools.length === 0) {
    throw wrongValue(["tool_choice", "allowed_tools", "tools"], "must name at least one function");
  }
  const names = tools.map((tool, at) => nameIn(tool, ["tool_choice", "allowed_tools", "tools", at], declared));
  return { mode: allowed["mode"] === "required" ? "ANY" : "VALIDATED", allowedFunctionNames: names };
}

function nameIn(tool: unknown, path: Path, declared: ReadonlySet<string>): string {
  const fn = isObject(tool) ? tool["function"] : undefined;
  const name = isObject(fn) ? fn["name"] : undefined;
  if (typeof name === "string" && declared.has(name)) return name;
  throw wrongValue([...path, "function", "name"], "must be one of the functions in tools");
}
