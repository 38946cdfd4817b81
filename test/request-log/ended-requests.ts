import { RequestNotes, type EndedRequest } from "../../src/requests/request-notes.ts";

/** The facts of an ended request that a test sets. The defaults are a request that one upstream answered. */
export interface EndedSketch {
  readonly endedAtMs?: number;
  readonly status?: number;
  readonly path?: string;
  readonly isProbe?: boolean;
  readonly client?: string;
  readonly notes?: Partial<RequestNotes>;
}

/** A one-second stream that one upstream answered, changed by the sketch. */
export function endedRequest(sketch: EndedSketch = {}): EndedRequest {
  const { endedAtMs = Date.now(), status = 200, path = "/v1/chat/completions", isProbe = false, client = "curl/8.5.0" } = sketch;
  return {
    listener: "gateway",
    method: "POST",
    path,
    isProbe,
    requestId: `req_${Bun.randomUUIDv7("hex", endedAtMs - 1000)}`,
    status,
    startedAt: 5000,
    endedAt: 6000.1234,
    endedAtMs,
    client,
    notes: Object.assign(new RequestNotes(), ANSWERED, sketch.notes),
  };
}

const ANSWERED: Partial<RequestNotes> = {
  keyId: "1t8M70XpfTe0",
  accountId: "acme",
  requestedModel: "fast-chat",
  model: "fast-chat",
  isStream: true,
  requestBytes: 3456,
  replyBytes: 8765,
  receivedAt: 5000.2,
  attempts: [
    { upstream: "openai", upstreamModel: "gpt-4o-mini", startedAt: 5000.5, durationMs: 200.25, outcome: "answered", detail: undefined },
  ],
  begunAt: 5200.75,
  repliedAt: 5201,
  charge: {
    kind: "settle",
    id: 2,
    accountId: "acme",
    atMs: 1,
    actor: "1t8M70XpfTe0",
    reason: "complete",
    requestId: "req",
    keyId: "1t8M70XpfTe0",
    model: "fast-chat",
    priceVersion: "v",
    holdId: 1,
    amountNanos: 123_456n,
    unchargedNanos: 0n,
    usage: { promptTokens: 1234, completionTokens: 345, cachedTokens: 30, cacheWriteTokens: 2, reasoningTokens: 11 },
    provenance: "measured",
    upstream: "openai",
    upstreamModel: "gpt-4o-mini",
    attempts: 1,
  },
  end: "complete",
};
