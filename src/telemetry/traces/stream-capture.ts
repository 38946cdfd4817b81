import { isObject } from "../../lib/schema/schema.ts";
import { factsIn, type AnswerFacts } from "./response-summary.ts";
import { MAX_CONTENT_CHARS } from "./content-attributes.ts";

/** What is noted of a stream as it passes. */
export interface HeardStream {
  hear(chunks: readonly string[]): void;
  facts(): AnswerFacts;
}

/** Only its ends are kept, and read when it is over: the first chunk has the id, one of the last the finish reason. */
export class StreamEnds implements HeardStream {
  #first: string | undefined;
  #last: readonly string[] = [];
  #beforeLast: readonly string[] = [];

  hear(chunks: readonly string[]): void {
    this.#first ??= chunks[0];
    this.#beforeLast = this.#last;
    this.#last = chunks;
  }

  facts(): AnswerFacts {
    const finishReasons = [...this.#beforeLast, ...this.#last].flatMap((chunk) => factsIn(chunk).finishReasons ?? []);
    return {
      id: this.#first === undefined ? undefined : factsIn(this.#first).id,
      finishReasons: finishReasons.length > 0 ? finishReasons : undefined,
      choices: [],
    };
  }
}

/** A choice as far as it has come. */
interface Choice {
  readonly message: { role: "assistant"; content: string; reasoning_content: string; tool_calls: Call[] };
  finish_reason: string | undefined;
}

interface Call {
  id: string | undefined;
  readonly function: { name: string; arguments: string };
}

/** More choices, and more calls in one, than any answer has. */
const MAX_PIECES = 128;

/** All that is said in a stream, up to what is told of it. For that each chunk is read. */
export class StreamContent implements HeardStream {
  readonly #choices: Choice[] = [];
  #id: string | undefined;
  #chars = 0;

  hear(chunks: readonly string[]): void {
    for (const chunk of chunks) {
      const { id, choices } = factsIn(chunk);
      this.#id ??= id;
      for (const choice of choices) if (isObject(choice)) this.#add(choice);
    }
  }

  facts(): AnswerFacts {
    const reasons = this.#choices.flatMap((choice) => choice?.finish_reason ?? []);
    return { id: this.#id, finishReasons: reasons.length > 0 ? reasons : undefined, choices: this.#choices.filter(Boolean) };
  }

  #add({ index, delta, finish_reason: reason }: Record<string, unknown>): void {
    const choice = (this.#choices[placeOf(index)] ??= {
      message: { role: "assistant", content: "", reasoning_content: "", tool_calls: [] },
      finish_reason: undefined,
    });
    if (typeof reason === "string") choice.finish_reason = reason;
    if (!isObject(delta)) return;
    const { message } = choice;
    message.content += this.#piece(delta["content"]);
    message.reasoning_content += this.#piece(delta["reasoning_content"]);
    const calls = delta["tool_calls"];
    if (Array.isArray(calls)) for (const call of calls) if (isObject(call)) this.#addCall(message.tool_calls, call);
  }

  #addCall(calls: Call[], { index, id, function: called }: Record<string, unknown>): void {
    const call = (calls[placeOf(index)] ??= { id: undefined, function: { name: "", arguments: "" } });
    if (typeof id === "string") call.id = this.#piece(id);
    if (!isObject(called)) return;
    call.function.name += this.#piece(called["name"]);
    call.function.arguments += this.#piece(called["arguments"]);
  }

  /** One character more than is told, so that the cut is seen. */
  #piece(text: unknown): string {
    if (typeof text !== "string" || this.#chars > MAX_CONTENT_CHARS) return "";
    this.#chars += text.length;
    return text.slice(0, MAX_CONTENT_CHARS + 1);
  }
}

function placeOf(index: unknown): number {
  return typeof index === "number" && Number.isInteger(index) && index >= 0 && index < MAX_PIECES ? index : 0;
}
