import { usageToWire, type Usage } from "../../money/usage.ts";

/** Data that the provider wants back with the next turn: the signatures of its reasoning. */
export type ExtraContent = Readonly<Record<string, unknown>>;

/** The head of a tool call. */
export interface ToolCallHead {
  readonly id: string;
  readonly name: string;
  readonly extraContent?: ExtraContent | undefined;
}

/**
 * Writes the chunks of one response, for dialects that translate: one ID, the role first, every tool call named once, and one finish
 * reason. Output bytes are counted, for upstreams that send no token counts.
 */
export class ChunkWriter {
  readonly #head: string;
  #hasRole = false;
  #toolCalls = 0;
  #isFinished = false;
  #bytes = 0;

  constructor(model: string, id: string) {
    const created = Math.floor(Date.now() / 1000);
    this.#head = JSON.stringify({ id, object: "chat.completion.chunk", created, model }).slice(0, -1);
  }

  /** Bytes of text, reasoning and tool calls since the last `counted`. */
  get uncountedBytes(): number {
    return this.#bytes;
  }

  /** Notes that the upstream's token counts cover everything up to this point. */
  counted(): void {
    this.#bytes = 0;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get hasToolCalls(): boolean {
    return this.#toolCalls > 0;
  }

  text(content: string): string {
    this.#bytes += Buffer.byteLength(content);
    return this.#delta({ content });
  }

  reasoning(text: string): string {
    this.#bytes += Buffer.byteLength(text);
    return this.#delta({ reasoning_content: text });
  }

  refusal(text: string): string {
    this.#bytes += Buffer.byteLength(text);
    return this.#delta({ refusal: text });
  }

  /** Data for the next turn that belongs to no tool call. */
  extra(extraContent: ExtraContent): string {
    return this.#delta({ extra_content: extraContent });
  }

  /** Opens a tool call. Its arguments follow later, or are passed here. */
  toolCall({ id, name, extraContent }: ToolCallHead, args = ""): string {
    this.#bytes += Buffer.byteLength(name) + Buffer.byteLength(args);
    const call = { index: this.#toolCalls++, id, type: "function", function: { name, arguments: args } };
    return this.#delta({ tool_calls: [extraContent ? { ...call, extra_content: extraContent } : call] });
  }

  /** Writes a piece of the arguments of the tool call at index `at`, by default the last. */
  toolArguments(args: string, at = this.#toolCalls - 1): string {
    this.#bytes += Buffer.byteLength(args);
    return this.#delta({ tool_calls: [{ index: at, function: { arguments: args } }] });
  }

  finish(finishReason: string): string {
    this.#isFinished = true;
    return this.#delta({}, finishReason);
  }

  /** The chunks that finish the response, if it is not finished. */
  closingChunks(finishReason: string): string[] {
    return this.#isFinished ? [] : [this.finish(finishReason)];
  }

  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return this.#write({ choices: [], usage: usageToWire(usage), ...more });
  }

  #delta(content: Record<string, unknown>, finishReason: string | null = null): string {
    const delta = this.#hasRole ? content : { role: "assistant", ...content };
    this.#hasRole = true;
    return this.#write({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] });
  }

  #write(rest: object): string {
    return `${this.#head},${JSON.stringify(rest).slice(1)}`;
  }
}
