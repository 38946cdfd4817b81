import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { ChunkStream } from "../../upstreams/upstream.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { Consumer } from "../../lib/async/source.ts";
import type { Usage } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { Answer } from "../reply/pending-response.ts";

/** The answer that was kept for this question, if one was found. It is replied with, and charged, like every other. */
export function serveCached({ chat, admission, exchange }: AdmittedRequest): Answer | undefined {
  const kept = admission.cache?.kept;
  if (!kept) return undefined;
  exchange.setIdleTimeout(0);
  admission.upstream = RESPONSE_CACHE;
  if (chat.stream) return { kind: "events", opening: Promise.resolve(new KeptChunks(kept)) };
  const { usage, uncountedBytes, pieces } = kept;
  return { kind: "json", completion: Promise.resolve({ usage, uncountedBytes, body: pieces[0]! }) };
}

/** The chunks of a stream that was kept. All of them are at hand. */
class KeptChunks implements ChunkStream {
  readonly usage: Usage | undefined;
  readonly uncountedBytes: number;
  readonly #usageChunk: string;
  #left: readonly string[] | undefined;

  constructor({ pieces, usageChunk, usage, uncountedBytes }: CachedResponse) {
    this.usage = usage;
    this.uncountedBytes = uncountedBytes;
    this.#usageChunk = usageChunk!;
    this.#left = pieces;
  }

  read(taker: Consumer<readonly string[]>): void {
    const left = this.#left;
    this.#left = undefined;
    if (left) taker.take(left);
    else taker.end();
  }

  usageChunk(_usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ ...(JSON.parse(this.#usageChunk) as object), ...more });
  }

  /** Nothing is left to be stopped: what it costs was known, and paid for, before. */
  stop(): readonly string[] {
    return [];
  }

  cancel(): void {
    this.#left = undefined;
  }
}
