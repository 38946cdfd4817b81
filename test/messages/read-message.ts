import { tryParse } from "../../src/lib/json/try-parse.ts";

type Json = Record<string, unknown>;

/** A message that was streamed, with the order of its events verified. */
export interface StreamedMessage {
  readonly model: unknown;
  readonly content: Json[];
  readonly stopReason: unknown;
  readonly usage: Json;
}

const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
};

/**
 * Reads the events of a whole stream as a strict client would, and throws for the first one that breaks a rule: one start and one end,
 * blocks one after the other, indexes without gaps, deltas of the open block only, nothing after the end.
 */
export function readMessage(events: readonly Json[]): StreamedMessage {
  const reader = new MessageReader();
  for (const event of events) reader.take(event);
  return reader.end();
}

class MessageReader {
  #message: Json | undefined;
  readonly #content: Json[] = [];
  #open: { readonly block: Json; readonly pieces: string[] } | undefined;
  #last: Json | undefined;
  #hasStopped = false;

  take(event: Json): void {
    const { type } = event;
    if (this.#hasStopped) throw new Error(`${String(type)} after the end`);
    if (type === "ping") return;
    if (type === "message_start") return this.#start(event["message"] as Json);
    if (!this.#message) throw new Error(`${String(type)} before the start`);
    if (type === "message_stop") return this.#stop();
    if (this.#last) throw new Error(`${String(type)} after message_delta`);
    if (type === "content_block_start") this.#openBlock(event);
    else if (type === "content_block_delta") this.#add(event);
    else if (type === "content_block_stop") this.#close(event);
    else if (type === "message_delta") this.#finish(event);
    else throw new Error(`an event of type ${String(type)}`);
  }

  end(): StreamedMessage {
    if (!this.#hasStopped) throw new Error("no end");
    const { delta, usage } = this.#last!;
    return { model: this.#message!["model"], content: this.#content, stopReason: (delta as Json)["stop_reason"], usage: usage as Json };
  }

  #start(message: Json): void {
    if (this.#message) throw new Error("a second start");
    if ((message["content"] as unknown[]).length > 0) throw new Error("a start with content");
    if (typeof (message["usage"] as Json)["input_tokens"] !== "number") throw new Error("a start without usage");
    this.#message = message;
  }

  #openBlock({ index, content_block: block }: Json): void {
    if (this.#open) throw new Error("a block in a block");
    if (index !== this.#content.length) throw new Error(`block ${String(index)} after ${this.#content.length}`);
    this.#open = { block: block as Json, pieces: [] };
  }

  #add({ index, delta }: Json): void {
    const open = this.#open;
    const { type, text, thinking, partial_json: json, signature } = delta as Json;
    if (!open || index !== this.#content.length) throw new Error("a delta of no open block");
    if (!DELTAS[String(open.block["type"])]!.includes(String(type))) throw new Error(`${String(type)} in ${String(open.block["type"])}`);
    if (typeof signature === "string") open.block["signature"] = signature;
    else open.pieces.push((text ?? thinking ?? json) as string);
  }

  #close({ index }: Json): void {
    const open = this.#open;
    if (!open || index !== this.#content.length) throw new Error("the end of no open block");
    const { type } = open.block;
    const whole = open.pieces.join("");
    if (type === "text") open.block["text"] = whole;
    else if (type === "thinking") open.block["thinking"] = whole;
    else open.block["input"] = inputIn(whole);
    this.#content.push(open.block);
    this.#open = undefined;
  }

  #finish(event: Json): void {
    if (this.#open) throw new Error("an end within a block");
    this.#last = event;
  }

  #stop(): void {
    if (!this.#last) throw new Error("message_stop without message_delta");
    this.#hasStopped = true;
  }
}

/** The input of a call; the text of arguments that are not JSON, which clients return to the model as an error. */
function inputIn(args: string): unknown {
  return args === "" ? {} : (tryParse(args) ?? args);
}
