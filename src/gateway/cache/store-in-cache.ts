import { MAX_RESPONSE_BYTES, type CachedResponse } from "../../stores/responses/response-store.ts";
import type { ChunkStream, Completion } from "../../upstreams/upstream.ts";
import { reportedDrops } from "../../requests/map-parameters.ts";
import type { Consumer } from "../../lib/async/source.ts";
import type { Counted, Usage } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { PendingResponse } from "../reply/pending-response.ts";

type Store = (pieces: readonly string[], counted: Counted, usageChunk?: (usage: Usage) => string) => void;

/**
 * The same response, copied into the response cache when it is complete, where the model has one. A response that failed, was stopped, or
 * was shortened because credit was short is not stored: it would be wrong for the next client.
 */
export function storeInCache(response: PendingResponse, request: AdmittedRequest): PendingResponse {
  const storeAs = request.admission.cache?.storeAs;
  if (storeAs === undefined) return response;
  const store: Store = (pieces, counted, usageChunk) => storeCopy(storeAs, pieces, counted, usageChunk, request);
  if (response.kind === "json") return { kind: "json", completion: response.completion.then((whole) => storedCompletion(whole, store)) };
  return { kind: "events", opening: response.opening.then((chunks) => new CopiedChunks(chunks, store)) };
}

function storedCompletion(completion: Completion, store: Store): Completion {
  store([completion.body], completion);
  return completion;
}

function storeCopy(
  key: string,
  pieces: readonly string[],
  counted: Counted,
  usageChunk: ((usage: Usage) => string) | undefined,
  { chat, admission, exchange, gateway }: AdmittedRequest,
): void {
  // A client that disconnected may have rejected what it saw. The response of a fallback is not one of the requested model.
  if (exchange.request.signal.aborted || admission.isFallback) return;
  const { model, parameterMapping } = admission;
  const { usage, isBounded } = admission.count(counted, true);
  // A hit would be charged by counts that nothing explains.
  if (isBounded) return;
  const response: CachedResponse = {
    pieces,
    ...(usageChunk && { usageChunk: usageChunk(usage) }),
    usage: counted.usage,
    uncountedBytes: counted.uncountedBytes,
    promptTokens: usage.promptTokens,
    dropped: reportedDrops(parameterMapping, chat.outline),
  };
  gateway.responses.store(key, response, gateway.monotonicMs() + model.cache!.ttlSeconds * 1000);
}

/** Forwards the chunks of a stream, and copies each. */
class CopiedChunks implements ChunkStream, Consumer<readonly string[]> {
  readonly #chunks: ChunkStream;
  #store: Store | undefined;
  #consumer: Consumer<readonly string[]> | undefined;
  #copies: string[] = [];
  #chars = 0;

  constructor(chunks: ChunkStream, store: Store) {
    this.#chunks = chunks;
    this.#store = store;
  }

  get usage(): Usage | undefined {
    return this.#chunks.usage;
  }

  get uncountedBytes(): number {
    return this.#chunks.uncountedBytes;
  }

  get isOutputUncounted(): boolean {
    return this.#chunks.isOutputUncounted ?? false;
  }

  read(consumer: Consumer<readonly string[]>): void {
    this.#consumer = consumer;
    this.#chunks.read(this);
  }

  take(chunks: readonly string[]): void {
    this.#copy(chunks);
    this.#consumer!.take(chunks);
  }

  end(): void {
    try {
      this.#store?.(this.#copies, this.#chunks, (usage) => this.#chunks.usageChunk(usage, {}));
    } catch (error) {
      return this.fail(error);
    }
    this.#consumer!.end();
  }

  fail(error: unknown): void {
    this.#consumer!.fail(error);
  }

  usageChunk(usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return this.#chunks.usageChunk(usage, more);
  }

  stop(): readonly string[] {
    this.#discard();
    return this.#chunks.stop();
  }

  cancel(): void {
    this.#discard();
    this.#chunks.cancel();
  }

  #copy(chunks: readonly string[]): void {
    if (!this.#store) return;
    this.#copies.push(...chunks);
    for (const chunk of chunks) this.#chars += chunk.length;
    if (this.#chars > MAX_RESPONSE_BYTES) this.#discard();
  }

  #discard(): void {
    this.#store = undefined;
    this.#copies = [];
  }
}
