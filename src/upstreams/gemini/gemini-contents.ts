import { isObject, type Path } from "../../lib/schema/schema.ts";
import { unsupportedParameter } from "../unsupported-parameter.ts";
import { isText, signatureIn, toFunctionCall, toFunctionResponse } from "./gemini-function-parts.ts";
import { textsOf, toParts, type Part } from "./gemini-parts.ts";

type Message = Readonly<Record<string, unknown>>;

/** A turn of the conversation. */
export interface Content {
  readonly role: "user" | "model";
  readonly parts: Part[];
}

/** A conversation in the words of this dialect. */
export interface Conversation {
  readonly system: readonly Part[];
  readonly contents: readonly Content[];
}

/** What was said, turn by turn: the turns of each side in one, and what says nothing left out. */
export function toConversation(messages: readonly Message[]): Conversation {
  const writer = new ConversationWriter();
  for (const [at, message] of messages.entries()) writer.add(message, ["messages", at]);
  return writer.end();
}

/** The place of a result that answers no call of its turn. */
const BEHIND_ALL = Number.MAX_SAFE_INTEGER;

class ConversationWriter {
  readonly #system: Part[] = [];
  readonly #contents: Content[] = [];
  /** The functions of the calls so far, by the ids that results name them by. */
  readonly #functions = new Map<string, string>();
  /** The places of the calls of the last turn that made any: of those with one id, the first. */
  #places = new Map<unknown, number>();
  /** Results that wait for the others of their turn. */
  #results: { readonly place: number; readonly part: Part }[] = [];

  add(message: Message, path: Path): void {
    const { role, content } = message;
    if (role === "tool" || role === "function") return this.#addResult(message, path);
    this.#flushResults();
    if (role === "assistant") this.#addAnswer(message, path);
    else if (role === "user") this.#push("user", toParts(content, [...path, "content"]));
    // Wherever they stand. In its place an instruction would be the user's word, and come between a call and its result.
    else this.#system.push(...toTextParts(textsOf(content, [...path, "content"])));
  }

  end(): Conversation {
    this.#flushResults();
    return { system: this.#system, contents: this.#contents };
  }

  #addAnswer(message: Message, path: Path): void {
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

  /** The name of the function is required, and only the call has it. */
  #addResult({ tool_call_id: id, name, content }: Message, path: Path): void {
    const known = isText(id) ? this.#functions.get(id) : undefined;
    const called = known ?? [name, id].find(isText) ?? "unknown";
    this.#results.push({
      place: this.#places.get(id) ?? BEHIND_ALL,
      part: toFunctionResponse(id, called, textsOf(content, [...path, "content"]).join("")),
    });
  }

  /** In the order of their calls, because that is how results are matched where ids are not known. */
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
