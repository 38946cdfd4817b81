import { beforeEach, expect, test } from "bun:test";
import { chatOf } from "../../../test/upstream-call.ts";
import { MemoryResponseStore } from "../../stores/responses/memory-response-store.ts";
import { MAX_RESPONSE_BYTES, type CachedResponse } from "../../stores/responses/response-store.ts";
import type { ChunkStream } from "../../upstreams/upstream.ts";
import { plainModel } from "../../models/catalog.ts";
import { next } from "../../lib/async/source.ts";
import type { AdmittedRequest } from "../admitted-request.ts";
import { storeInCache } from "./store-in-cache.ts";

const chat = chatOf({ model: "m", messages: [], seed: 7, n: 1 });
const usage = { promptTokens: 9, completionTokens: 2, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

let responses: MemoryResponseStore;
let caller: AbortController;
beforeEach(() => {
  responses = new MemoryResponseStore();
  caller = new AbortController();
});

function contextOf(): AdmittedRequest {
  const admission = {
    cache: { hit: undefined, storeAs: "key" },
    model: { ...plainModel("m", { upstream: "u", upstreamModel: "m" }), cache: { ttlSeconds: 10, pricePercent: 0 } },
    promptEstimate: 4,
    parameterMapping: { dropped: ["seed", "n"], renamed: {} },
  };
  const exchange = { request: { signal: caller.signal } };
  const gateway = { responses, monotonicMs: () => 1000 };
  return { chat, admission, exchange, gateway, claim: undefined } as unknown as AdmittedRequest;
}

const kept = (nowMs = 1000): CachedResponse | undefined => responses.find("key", nowMs);

/** Batches of chunks, and then their end, or a failure. */
function chunksOf(batches: readonly (readonly string[])[], failure?: Error): ChunkStream {
  const left = [...batches];
  return {
    usage,
    uncountedBytes: 0,
    read(taker) {
      const batch = left.shift();
      if (batch) taker.take(batch);
      else if (failure) taker.fail(failure);
      else taker.end();
    },
    usageChunk: (counted) => JSON.stringify(counted),
    stop: () => ["stopped"],
    cancel: () => void left.splice(0),
  };
}

async function open(batches: readonly (readonly string[])[], failure?: Error): Promise<ChunkStream> {
  const answer = storeInCache({ kind: "events", opening: Promise.resolve(chunksOf(batches, failure)) }, contextOf());
  return answer.kind === "events" ? answer.opening : Promise.reject(new Error("no stream"));
}

test("a stream is kept at its end, with its counts and what it was made without, for as long as the model says", async () => {
  const chunks = await open([["a", "b"], ["c"]]);
  expect([await next(chunks), await next(chunks), kept()]).toEqual([["a", "b"], ["c"], undefined]);
  expect(await next(chunks)).toBeUndefined();
  const usageChunk = JSON.stringify(usage);
  expect(kept()).toEqual({ pieces: ["a", "b", "c"], usageChunk, usage, uncountedBytes: 0, promptTokens: 9, dropped: ["seed"] });
  expect([kept(10_999) !== undefined, kept(11_000)]).toEqual([true, undefined]);
});

test("a whole answer is kept, with our estimate of its prompt where the upstream did not count", async () => {
  const completion = { body: "{}", usage: undefined, uncountedBytes: 8 };
  const answer = storeInCache({ kind: "json", completion: Promise.resolve(completion) }, contextOf());
  expect(answer.kind === "json" && (await answer.completion)).toBe(completion);
  expect(kept()).toEqual({ pieces: ["{}"], usage: undefined, uncountedBytes: 8, promptTokens: 4, dropped: ["seed"] });
});

const NOT_KEPT: Record<string, (chunks: ChunkStream) => unknown> = {
  "that is stopped": (chunks) => chunks.stop(),
  "that is cancelled": (chunks) => chunks.cancel(),
  "whose caller has left while it was made to the end": () => caller.abort(),
};
for (const [name, happens] of Object.entries(NOT_KEPT)) {
  test(`a stream ${name} is not kept`, async () => {
    const chunks = await open([["a"], ["b"]]);
    await next(chunks);
    happens(chunks);
    while (await next(chunks));
    expect(kept()).toBeUndefined();
  });
}

test("a stream that fails is not kept, and fails as before", async () => {
  const failure = new Error("cut");
  const chunks = await open([["a"]], failure);
  await next(chunks);
  expect(await next(chunks).catch((error: unknown) => error)).toBe(failure);
  expect(kept()).toBeUndefined();
});

test("a stream that grows too large is not kept, and is passed on all the same", async () => {
  const long = "x".repeat(MAX_RESPONSE_BYTES / 2);
  const chunks = await open([[long], [long], ["end"]]);
  expect([await next(chunks), await next(chunks), await next(chunks), await next(chunks)]).toEqual([[long], [long], ["end"], undefined]);
  expect(kept()).toBeUndefined();
});

test("an answer that is not to be kept is not touched", () => {
  const answer = { kind: "json", completion: Promise.resolve({ body: "{}", usage, uncountedBytes: 0 }) } as const;
  for (const cache of [undefined, { hit: undefined, storeAs: undefined }]) {
    expect(storeInCache(answer, { ...contextOf(), admission: { cache } } as unknown as AdmittedRequest)).toBe(answer);
  }
});
