import { MAX_RESPONSE_BYTES, type CachedResponse } from "../../stores/responses/response-store.ts";
import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";
import { droppedToTell } from "../../models/parameters/parameters.ts";
import type { Consumer } from "../../lib/async/source.ts";
import { countTokens, type Counted, type Usage } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { Answer } from "../reply/pending-response.ts";

/** What is kept of an answer when it has come to its end. */
type Keep = (pieces: readonly string[], counted: Counted, usageChunk?: (usage: Usage) => string) => void;

/**
 * The same answer, of which a copy is kept for whoever asks the same again, where the model's answers are. Only a whole one is: one
 * that failed, was stopped, or was held shorter for want of credit would be a wrong answer to the next caller.
 */
export function storeInCache(answer: Answer, context: AdmittedRequest): Answer {
  const keepAs = context.admission.cache?.keepAs;
  if (keepAs === undefined) return answer;
  const keep: Keep = (pieces, counted, usageChunk) => keepCopy(keepAs, pieces, counted, usageChunk, context);
  if (answer.kind === "json") return { kind: "json", completion: answer.completion.then((whole) => keptWhole(whole, keep)) };
  return { kind: "events", opening: answer.opening.then((chunks) => new CopiedChunks(chunks, keep)) };
}

function keptWhole(completion: Completion, keep: Keep): Completion {
  keep([completion.body], completion);
  return completion;
}

function keepCopy(
  key: string,
  pieces: readonly string[],
  counted: Counted,
  usageChunk: ((usage: Usage) => string) | undefined,
  { chat, admission, exchange, gateway }: AdmittedRequest,
): void {
  // What came after the caller had left was never shown to be of use to anybody.
  if (exchange.request.signal.aborted) return;
  const { model, promptEstimate, carriage } = admission;
  const { usage } = countTokens(counted, promptEstimate, true);
  const response: CachedResponse = {
    pieces,
    ...(usageChunk && { usageChunk: usageChunk(usage) }),
    usage: counted.usage,
    uncountedBytes: counted.uncountedBytes,
    promptTokens: usage.promptTokens,
    dropped: droppedToTell(carriage, chat.outline),
  };
  gateway.responses.keep(key, response, gateway.monotonicMs() + model.cache!.ttlSeconds * 1000);
}

/** Chunks on their way, with a copy of each. */
class CopiedChunks implements ChunkStream, Consumer<readonly string[]> {
  readonly #chunks: ChunkStream;
  #keep: Keep | undefined;
  #waiting: Consumer<readonly string[]> | undefined;
  #copies: string[] = [];
  #chars = 0;

  constructor(chunks: ChunkStream, keep: Keep) {
    this.#chunks = chunks;
    this.#keep = keep;
  }

  get usage(): Usage | undefined {
    return this.#chunks.usage;
  }

  get uncountedBytes(): number {
    return this.#chunks.uncountedBytes;
  }

  read(taker: Consumer<readonly string[]>): void {
    this.#waiting = taker;
    this.#chunks.read(this);
  }

  take(chunks: readonly string[]): void {
    this.#copy(chunks);
    this.#waiting!.take(chunks);
  }

  end(): void {
    try {
      this.#keep?.(this.#copies, this.#chunks, (usage) => this.#chunks.usageChunk(usage, {}));
    } catch (error) {
      return this.fail(error);
    }
    this.#waiting!.end();
  }

  fail(error: unknown): void {
    this.#waiting!.fail(error);
  }

  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return this.#chunks.usageChunk(usage, more);
  }

  stop(): readonly string[] {
    this.#giveUp();
    return this.#chunks.stop();
  }

  cancel(): void {
    this.#giveUp();
    this.#chunks.cancel();
  }

  #copy(chunks: readonly string[]): void {
    if (!this.#keep) return;
    this.#copies.push(...chunks);
    for (const chunk of chunks) this.#chars += chunk.length;
    if (this.#chars > MAX_RESPONSE_BYTES) this.#giveUp();
  }

  #giveUp(): void {
    this.#keep = undefined;
    this.#copies = [];
  }
}
