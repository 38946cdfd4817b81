import { JsonBudget } from "../../lib/json/json-budget.ts";
import { JSON_LIMITS } from "../../lib/json/json-text.ts";
import { isObject, type Path } from "../../lib/schema/schema.ts";
import { refuseLargeArguments, argumentsIn, resultIn } from "../streams/call-arguments.ts";
import { unsupportedParameter, wrongValue } from "../unsupported-parameter.ts";
import { textsOf, toParts, type Part } from "./gemini-parts.ts";

type Message = Readonly<Record<string, unknown>>;

/** A turn of the conversation. */
export interface Content {
  readonly role: "user" | "model";
  readonly parts: Part[];
}

/** A conversation in Gemini's format. */
export interface Conversation {
  readonly system: readonly Part[];
  readonly contents: readonly Content[];
}

/** Translates messages into turns. Consecutive messages of one role become one turn; empty text is omitted. */
export function toConversation(messages: readonly Message[]): Conversation {
  refuseLargeArguments(messages);
  const writer = new ConversationWriter();
  for (const [at, message] of messages.entries()) writer.add(message, ["messages", at]);
  return writer.end();
}

/** The position of a result that belongs to no call of its turn. */
const AFTER_ALL_CALLS = Number.MAX_SAFE_INTEGER;

class ConversationWriter {
  readonly #system: Part[] = [];
  readonly #contents: Content[] = [];
  /** Function names by call id, because results name only the id. */
  readonly #functions = new Map<string, string>();
  /** The positions of the calls in the last turn with calls, by id; the first position if ids repeat. */
  #places = new Map<unknown, number>();
  readonly #resultBudget = new JsonBudget(JSON_LIMITS);
  /** Results of the current turn, buffered until it is complete. */
  #results: { readonly place: number; readonly part: Part }[] = [];

  add(message: Message, path: Path): void {
    const { role, content } = message;
    if (role === "tool" || role === "function") return this.#addResult(message, path);
    this.#flushResults();
    if (role === "assistant") this.#addAssistant(message, path);
    else if (role === "user") this.#push("user", toParts(content, [...path, "content"]));
    // System messages are collected from the whole conversation. If a system message stayed in its position, it would become a user turn,
    // possibly between a call and its result.
    else this.#system.push(...toTextParts(textsOf(content, [...path, "content"])));
  }

  end(): Conversation {
    this.#flushResults();
    return { system: this.#system, contents: this.#contents };
  }

  #addAssistant(message: Message, path: Path): void {
    const { content, refusal, audio, tool_calls: calls, function_call: legacyCall, extra_content: extra } = message;
    if (content == null && isObject(audio)) throw unsupportedParameter([...path, "audio"], "is not known to this model");
    const texts = textsOf(content, [...path, "content"]);
    const parts = toTextParts(texts.length === 0 && typeof refusal === "string" ? [refusal] : texts);
    const signature = signatureIn(extra);
    if (signature !== undefined && parts.length > 0) parts.at(-1)!.thoughtSignature = signature;
    const made = Array.isArray(calls) ? calls.map((call, at) => toFunctionCall(call, [...path, "tool_calls", at])) : [];
    if (isObject(legacyCall)) made.push(toFunctionCall({ function: legacyCall }, [...path, "function_call"]));
    this.#push("model", [...parts, ...made]);
    if (made.length > 0) this.#remember(made.map(({ functionCall }) => functionCall));
  }

  #remember(calls: readonly { id?: string; name: string }[]): void {
    this.#places = new Map(calls.map(({ id }, at) => [id, at] as const).toReversed());
    for (const { id, name } of calls) if (id !== undefined) this.#functions.set(id, name);
  }

  /** The API requires the function's name, which is found through the call. */
  #addResult({ tool_call_id: id, name, content }: Message, path: Path): void {
    const known = isText(id) ? this.#functions.get(id) : undefined;
    const called = known ?? [name, id].find(isText) ?? "unknown";
    this.#results.push({
      place: this.#places.get(id) ?? AFTER_ALL_CALLS,
      part: toFunctionResponse(id, called, textsOf(content, [...path, "content"]).join(""), this.#resultBudget),
    });
  }

  /** Sorts results into the order of the calls, because endpoints without call ids match results by order. */
  #flushResults(): void {
    const parts = this.#results.toSorted((one, other) => one.place - other.place).map(({ part }) => part);
    this.#results = [];
    this.#push("user", parts);
  }

  #push(role: Content["role"], parts: readonly Part[]): void {
    if (parts.length === 0) return;
    const last = this.#contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.#contents.push({ role, parts: [...parts] });
  }
}

function toTextParts(texts: readonly string[]): Part[] {
  return texts.filter((text) => text !== "").map((text) => ({ text }));
}

/** Translates a tool call in the history. */
function toFunctionCall(call: unknown, path: Path): Part & Required<Pick<Part, "functionCall">> {
  const { id, function: fn, custom, extra_content: extra } = isObject(call) ? call : {};
  const named = isObject(fn) ? fn : isObject(custom) ? custom : {};
  const { name } = named;
  if (typeof name !== "string" || name === "") throw wrongValue([...path, "function", "name"], "must be the name of a function");
  const signature = signatureIn(extra);
  return {
    functionCall: { ...(isText(id) && { id }), name, args: argumentsIn(named["arguments"] ?? named["input"]) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}

/** Translates a tool result. The API accepts only objects, so any other value is wrapped as `{ result }`. */
function toFunctionResponse(id: unknown, name: string, text: string, budget: JsonBudget): Part {
  return { functionResponse: { ...(isText(id) && { id }), name, response: resultIn(text, budget) ?? { result: text } } };
}

/** The thought signature of a part, in the field where Google's own chat-completions endpoint puts it. */
function signatureIn(extraContent: unknown): string | undefined {
  const google = isObject(extraContent) ? extraContent["google"] : undefined;
  const signature = isObject(google) ? google["thought_signature"] : undefined;
  return isText(signature) ? signature : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
