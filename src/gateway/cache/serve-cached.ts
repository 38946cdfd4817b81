import type { CachedResponse } from "../../stores/responses/response-store.ts";
import type { ChunkStream } from "../../upstreams/upstream.ts";
import { RESPONSE_CACHE } from "../../money/ledger-entry.ts";
import type { Consumer } from "../../lib/async/source.ts";
import type { Usage } from "../../money/usage.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import type { PendingResponse } from "../reply/pending-response.ts";

/** The cached response, where admission found one. It is sent, and charged, like any other. */
export function serveCached({ chat, admission, exchange }: AdmittedRequest): PendingResponse | undefined {
  const hit = admission.cache?.hit;
  if (!hit) return undefined;
  exchange.setIdleTimeout(0);
  admission.upstream = RESPONSE_CACHE;
  if (chat.stream) return { kind: "events", opening: Promise.resolve(new CachedChunks(hit)) };
  const { usage, uncountedBytes, pieces } = hit;
  return { kind: "json", completion: Promise.resolve({ usage, uncountedBytes, body: pieces[0]! }) };
}

/** The chunks of a cached stream, all of which are in memory. */
class CachedChunks implements ChunkStream {
  readonly usage: Usage | undefined;
  readonly uncountedBytes: number;
  readonly #usageChunk: string;
  #unread: readonly string[] | undefined;

  constructor({ pieces, usageChunk, usage, uncountedBytes }: CachedResponse) {
    this.usage = usage;
    this.uncountedBytes = uncountedBytes;
    this.#usageChunk = usageChunk!;
    this.#unread = pieces;
  }

  read(consumer: Consumer<readonly string[]>): void {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread) consumer.take(unread);
    else consumer.end();
  }

  usageChunk(_usage: Usage, more: Readonly<Record<string, unknown>>): string {
    return JSON.stringify({ ...(JSON.parse(this.#usageChunk) as object), ...more });
  }

  /** There is nothing to stop: the exact cost was known at admission. */
  stop(): readonly string[] {
    return [];
  }

  cancel(): void {
    this.#unread = undefined;
  }
}
