import { fieldsOf, listOf, textOf, type Fields } from "../../../platform/json.ts";
import type { ChatMessage, LoggedChat } from "./chat.ts";
import { parseStart } from "./complete-json.ts";
import { partsOf, readMessages } from "./read-message.ts";

/** Reads a stored request. Undefined if it is not JSON. */
export function readRequest(text: string): LoggedChat | undefined {
  const body = parseStart(text);
  if (typeof body !== "object" || body === null) return undefined;
  const { messages, ...parameters } = body as Fields;
  return { messages: readMessages(messages), parameters };
}

/** Reads a stored response: JSON, or the events of a stream, one per line. One message per choice; undefined if there is none. */
export function readReply(text: string, isStream: boolean): readonly ChatMessage[] | undefined {
  const choices = isStream ? assemble(text) : listOf(fieldsOf(parseStart(text))["choices"]).map(fieldsOf);
  if (choices.length === 0) return undefined;
  return choices.map(({ message, finish_reason: reason, index }) => ({
    title: choices.length > 1 ? `assistant, choice ${Number(index ?? 0) + 1}` : "assistant",
    parts: partsOf(fieldsOf(message)),
    ...(typeof reason === "string" && { finishReason: reason }),
  }));
}

/** The choices of a stream, each with its deltas joined. */
function assemble(text: string): readonly Fields[] {
  const choices = new Map<number, StreamedChoice>();
  for (const line of text.split("\n")) {
    for (const choice of listOf(fieldsOf(parseStart(line))["choices"]).map(fieldsOf)) {
      const index = typeof choice["index"] === "number" ? choice["index"] : 0;
      const known = choices.get(index) ?? new StreamedChoice();
      choices.set(index, known);
      known.add(choice);
    }
  }
  return [...choices].toSorted(([a], [b]) => a - b).map(([index, choice]) => ({ index, ...choice.whole() }));
}

const JOINED = ["content", "refusal", "reasoning_content", "reasoning"] as const;

class StreamedChoice {
  readonly #texts = new Map<string, string>();
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #audio: Fields | undefined;
  #finishReason: unknown = null;

  add(choice: Fields): void {
    const delta = fieldsOf(choice["delta"]);
    for (const name of JOINED) this.#texts.set(name, (this.#texts.get(name) ?? "") + textOf(delta[name]));
    listOf(delta["tool_calls"]).forEach((call, at) => this.#addCall(fieldsOf(call), at));
    if (delta["audio"] != null) this.#addAudio(fieldsOf(delta["audio"]));
    this.#finishReason = choice["finish_reason"] ?? this.#finishReason;
  }

  /** The choice in the form of a JSON response. */
  whole(): Fields {
    const calls = [...this.#calls.values()].map(({ id, ...called }) => ({ id, function: called }));
    const message = { ...Object.fromEntries(this.#texts), tool_calls: calls, audio: this.#audio };
    return { message, finish_reason: this.#finishReason };
  }

  #addCall(call: Fields, at: number): void {
    const index = typeof call["index"] === "number" ? call["index"] : at;
    const known = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    const { name, arguments: given } = fieldsOf(call["function"]);
    this.#calls.set(index, {
      id: textOf(call["id"]) || known.id,
      name: known.name + textOf(name),
      arguments: known.arguments + textOf(given),
    });
  }

  #addAudio(audio: Fields): void {
    const transcript = textOf(this.#audio?.["transcript"]) + textOf(audio["transcript"]);
    this.#audio = { id: textOf(audio["id"]) || textOf(this.#audio?.["id"]), transcript };
  }
}
