import { next } from "../../lib/async/source.ts";
import type { Usage } from "../../money/usage.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { ComparedResponse } from "../../requests/mirror-result.ts";
import type { ChunkStream, Upstream, UpstreamCall } from "../../upstreams/upstream.ts";
import { finishReasonIn } from "./finish-reason.ts";

/** What a mirror returned, and the error, where it failed. */
export interface MirrorCall {
  readonly mirror: ComparedResponse;
  readonly error?: unknown;
}

/** Calls the mirror as the caller has called the model, as a stream or for JSON, and reads the response to its end. Never throws. */
export async function callMirror(upstream: Upstream, call: UpstreamCall): Promise<MirrorCall> {
  const reading = new Reading();
  try {
    if (call.chat.stream) await readStream(await upstream.stream(call), call, reading);
    else {
      const { body, usage } = await upstream.complete(call);
      reading.finishReason = finishReasonIn(body);
      reading.usage = usage;
    }
    return { mirror: reading.end(200) };
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 502;
    // A stream that breaks off has its status already, as the caller's has.
    return { mirror: reading.end(reading.firstByteMs === null ? status : 200), error };
  }
}

async function readStream(chunks: ChunkStream, { signal }: UpstreamCall, reading: Reading): Promise<void> {
  reading.firstByteMs = reading.elapsedMs;
  const cancel = (): void => chunks.cancel();
  signal.addEventListener("abort", cancel);
  try {
    for (let events = await next(chunks); events; events = await next(chunks)) {
      for (const event of events) reading.finishReason ??= finishReasonIn(event);
    }
    reading.usage = chunks.usage;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** A response while it is read. */
class Reading {
  readonly #startedAt = performance.now();
  finishReason: string | null = null;
  usage: Usage | undefined;
  firstByteMs: number | null = null;

  /** Rounded to the microsecond. */
  get elapsedMs(): number {
    return Math.round((performance.now() - this.#startedAt) * 1000) / 1000;
  }

  end(status: number): ComparedResponse {
    const { finishReason, usage, firstByteMs, elapsedMs: durationMs } = this;
    const [promptTokens, completionTokens] = [usage?.promptTokens ?? null, usage?.completionTokens ?? null];
    return { status, finishReason, promptTokens, completionTokens, firstByteMs, durationMs };
  }
}
