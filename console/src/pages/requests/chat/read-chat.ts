import { fieldsOf, listOf, textOf, type Fields } from "../../../platform/json.ts";
import type { ChatMessage, LoggedChat } from "./chat.ts";
import { parseStart } from "./complete-json.ts";
import { contentOfItem, messageOfItem, partsOf, readMessages } from "./read-message.ts";

/** Reads a stored request, in the format of any endpoint. Undefined if it is not JSON. */
export function readRequest(text: string): LoggedChat | undefined {
  const body = parseStart(text);
  if (typeof body !== "object" || body === null) return undefined;
  const { messages, system, instructions, input, ...parameters } = body as Fields;
  const first = [system, instructions].filter((content) => content != null).map((content) => ({ role: "system", content }));
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input).map(messageOfItem);
  return { messages: readMessages([...first, ...listOf(messages), ...items]), parameters };
}

/** Reads a stored response: JSON, or the events of a stream, one per line. One message per choice; undefined if there is none. */
export function readReply(text: string, isStream: boolean): readonly ChatMessage[] | undefined {
  const choices = isStream ? assemble(text) : choicesOf(fieldsOf(parseStart(text)));
  if (choices.length === 0) return undefined;
  return choices.map(({ message, finish_reason: reason, index }) => ({
    title: choices.length > 1 ? `assistant, choice ${Number(index ?? 0) + 1}` : "assistant",
    parts: partsOf(fieldsOf(message)),
    ...(typeof reason === "string" && { finishReason: reason }),
  }));
}

/** The choices of a response. The Messages API and the Responses API have one. */
function choicesOf({ choices, type, content, stop_reason: reason, output, status }: Fields): readonly Fields[] {
  if (type === "message") return [{ message: { content }, finish_reason: reason }];
  if (output !== undefined) return [{ message: { content: listOf(output).flatMap(contentOfItem) }, finish_reason: status }];
  return listOf(choices).map(fieldsOf);
}

/** The choices of a stream, each with its deltas joined. */
function assemble(text: string): readonly Fields[] {
  const events = text.split("\n").map((line) => fieldsOf(parseStart(line)));
  const [{ type } = {}] = events;
  if (type === "message_start") return [messageIn(events)];
  if (type === "response.created") return [responseIn(events)];
  const choices = new Map<number, StreamedChoice>();
  for (const event of events) {
    for (const choice of listOf(event["choices"]).map(fieldsOf)) {
      const index = typeof choice["index"] === "number" ? choice["index"] : 0;
      const known = choices.get(index) ?? new StreamedChoice();
      choices.set(index, known);
      known.add(choice);
    }
  }
  return [...choices].toSorted(([a], [b]) => a - b).map(([index, choice]) => ({ index, ...choice.whole() }));
}

/** The message in a stream of the Messages API. */
function messageIn(events: readonly Fields[]): Fields {
  const blocks = new Map<unknown, Fields>();
  let reason: unknown;
  for (const { type, index, content_block: block, delta } of events) {
    if (type === "content_block_start")
      blocks.set(index, { ...fieldsOf(block), ...(fieldsOf(block)["type"] === "tool_use" && { input: "" }) });
    const known = blocks.get(index);
    if (type === "content_block_delta" && known) blocks.set(index, withDelta(known, fieldsOf(delta)));
    if (type === "message_delta") reason = fieldsOf(delta)["stop_reason"];
  }
  return { message: { content: [...blocks.values()] }, finish_reason: reason };
}

function withDelta(block: Fields, { text, thinking, partial_json: json }: Fields): Fields {
  if (typeof text === "string") return { ...block, text: textOf(block["text"]) + text };
  if (typeof thinking === "string") return { ...block, thinking: textOf(block["thinking"]) + thinking };
  return typeof json === "string" ? { ...block, input: textOf(block["input"]) + json } : block;
}

/** The response in a stream of the Responses API: its complete items, and the text of an item that is cut off. */
function responseIn(events: readonly Fields[]): Fields {
  const items = new Map<unknown, Fields>();
  let status: unknown;
  for (const { type, output_index: index, item, delta, response } of events) {
    if (type === "response.output_item.done") items.set(index, fieldsOf(item));
    if (type === "response.output_text.delta") {
      const before = listOf(items.get(index)?.["content"]).map((part) => textOf(fieldsOf(part)["text"]));
      items.set(index, { type: "message", content: [{ type: "output_text", text: before.join("") + textOf(delta) }] });
    }
    status = fieldsOf(response)["status"] ?? status;
  }
  return { message: { content: [...items.values()].flatMap(contentOfItem) }, finish_reason: status };
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
