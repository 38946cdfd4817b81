import { beforeEach, expect, test, describe } from "bun:test";
import { chatOf } from "../../test/support/upstreams/upstream-call.ts";
import { MemoryResponseStore } from "../stores/responses/memory-response-store.ts";
import { MAX_RESPONSE_BYTES, type CachedResponse } from "../stores/responses/response-store.ts";
import type { ChunkStream, Upstream } from "../upstreams/upstream.ts";
import { plainModel, type Model } from "../models/catalog.ts";
import { next } from "../lib/async/source.ts";
import { countTokens, type ReceivedUsage } from "../money/usage.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import { storeInCache, lookUpCache, responseKey } from "./response-cache.ts";
import type { Gateway, FindUpstream } from "./gateway.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import { FREE } from "../money/price.ts";

describe("serve cached", () => {
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
      count: (received: ReceivedUsage, isWhole: boolean) => countTokens(received, 4, isWhole),
      parameterMapping: { dropped: ["seed", "n"], renamed: {} },
    };
    const exchange = { request: { signal: caller.signal } };
    const gateway = { responses, monotonicMs: () => 1000 };
    return { modelRequest: chat, admission, exchange, gateway, claim: undefined } as unknown as AdmittedRequest;
  }

  const stored = (nowMs = 1000): CachedResponse | undefined => responses.find("key", nowMs);

  /** A stream of these batches of chunks, which ends or fails. */
  function chunksOf(batches: readonly (readonly string[])[], failure?: Error): ChunkStream {
    const left = [...batches];
    return {
      usage,
      uncountedBytes: 0,
      read(consumer) {
        const batch = left.shift();
        if (batch) consumer.take(batch);
        else if (failure) consumer.fail(failure);
        else consumer.end();
      },
      endEvents: (counted) => [JSON.stringify(counted)],
      stop: () => ["stopped"],
      cancel: () => void left.splice(0),
    };
  }

  async function open(batches: readonly (readonly string[])[], failure?: Error): Promise<ChunkStream> {
    const response = storeInCache({ kind: "events", opening: Promise.resolve(chunksOf(batches, failure)) }, contextOf());
    return response.kind === "events" ? response.opening : Promise.reject(new Error("no stream"));
  }

  test("a stream is stored at its end, with its usage and dropped parameters, for the TTL of the model", async () => {
    const chunks = await open([["a", "b"], ["c"]]);
    expect([await next(chunks), await next(chunks), stored()]).toEqual([["a", "b"], ["c"], undefined]);
    expect(await next(chunks)).toBeUndefined();
    const endEvents = [JSON.stringify(usage)];
    expect(stored()).toEqual({ pieces: ["a", "b", "c"], endEvents, usage, uncountedBytes: 0, promptTokens: 9, dropped: ["seed"] });
    expect([stored(10_999) !== undefined, stored(11_000)]).toEqual([true, undefined]);
  });

  test("a JSON response is stored, with the prompt estimate where the upstream did not count", async () => {
    const completion = { body: "{}", usage: undefined, uncountedBytes: 8 };
    const response = storeInCache({ kind: "json", completion: Promise.resolve(completion) }, contextOf());
    expect(response.kind === "json" && (await response.completion)).toBe(completion);
    expect(stored()).toEqual({ pieces: ["{}"], usage: undefined, uncountedBytes: 8, promptTokens: 4, dropped: ["seed"] });
  });

  const NOT_KEPT: Record<string, (chunks: ChunkStream) => unknown> = {
    "that is stopped": (chunks) => chunks.stop(),
    "that is cancelled": (chunks) => chunks.cancel(),
    "whose client disconnected before its end": () => caller.abort(),
  };
  for (const [name, happens] of Object.entries(NOT_KEPT)) {
    test(`a stream ${name} is not stored`, async () => {
      const chunks = await open([["a"], ["b"]]);
      await next(chunks);
      happens(chunks);
      while (await next(chunks));
      expect(stored()).toBeUndefined();
    });
  }

  test("a stream that fails is not stored, and still fails", async () => {
    const failure = new Error("cut");
    const chunks = await open([["a"]], failure);
    await next(chunks);
    expect(await next(chunks).catch((error: unknown) => error)).toBe(failure);
    expect(stored()).toBeUndefined();
  });

  test("a stream that is too large is not stored, and still forwarded", async () => {
    const long = "x".repeat(MAX_RESPONSE_BYTES / 2);
    const chunks = await open([[long], [long], ["end"]]);
    expect([await next(chunks), await next(chunks), await next(chunks), await next(chunks)]).toEqual([[long], [long], ["end"], undefined]);
    expect(stored()).toBeUndefined();
  });

  test("a response that is not to be stored is returned unchanged", () => {
    const response = { kind: "json", completion: Promise.resolve({ body: "{}", usage, uncountedBytes: 0 }) } as const;
    for (const cache of [undefined, { hit: undefined, storeAs: undefined }]) {
      expect(storeInCache(response, { ...contextOf(), admission: { cache } } as unknown as AdmittedRequest)).toBe(response);
    }
  });

  describe("look up cache", () => {
    test("a cached response expires when its time has passed, however the system clock is set", () => {
      const clock = { systemMs: Date.parse("2027-03-10"), monotonicMs: 5000 };
      const remembered = new MemoryResponseStore();
      const gateway = { responses: remembered, nowMs: () => clock.systemMs, monotonicMs: () => clock.monotonicMs } as unknown as Gateway;
      const model = plainModel("m", { upstream: "u", upstreamModel: "m" });
      const request = chatOf({ messages: [] });
      const find = () => lookUpCache(request, model, "acme", new Headers(), () => undefined, gateway)!;
      const response = { pieces: ["{}"], promptTokens: 1, dropped: [] } as unknown as CachedResponse;
      remembered.store(find().key, response, clock.monotonicMs + 1000);
      clock.systemMs += 86_400_000;
      clock.monotonicMs += 999;
      expect(find().hit).toEqual(response);
      clock.systemMs -= 2 * 86_400_000;
      clock.monotonicMs += 1;
      expect(find().hit).toBeUndefined();
    });
  });
});

describe("response key", () => {
  const model = plainModel("m", { upstream: "u", upstreamModel: "their-m" });
  const [route] = model.routes as [Model["routes"][number]];
  const chat = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }] });

  function upstreamAt(baseUrl: string): FindUpstream {
    const settings = remoteAt("u", undefined, { baseUrl, allowPrivate: false }, []);
    return () => ({ settings }) as Upstream;
  }
  const here = upstreamAt("https://here.example/v1");

  test("another account, model, body or format has another key, and parts cannot be shifted into each other", () => {
    const keys = [
      responseKey(chat, model, "a", here),
      responseKey(chat, model, "am", here),
      responseKey(chat, { ...model, id: "mm" }, "a", here),
      responseKey(chatOf({ ...chat.body, stream: true }), model, "a", here),
      responseKey(chatOf({ ...chat.body, seed: 1 }), model, "a", here),
      responseKey(chatOf({ ...chat.body, messages: [{ role: "user", content: null }] }), model, "a", here),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("another upstream or other parameters have another key", () => {
    const changed: Model[] = [
      { ...model, routes: [{ ...route, upstreamModel: "their-n" }] },
      { ...model, routes: [{ ...route, upstream: "v" }] },
      { ...model, routes: [route, { ...route, upstream: "v" }] },
      { ...model, parameters: { seed: "drop" } },
      { ...model, maxOutputTokens: 10 },
    ];
    const keys = [model, ...changed].map((each) => responseKey(chat, each, "a", here));
    keys.push(responseKey(chat, model, "a", upstreamAt("https://there.example/v1")));
    keys.push(responseKey(chat, model, "a", () => undefined));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("another price, weight or state has the same key", () => {
    const state = { name: "deprecated", shutdownDate: "2030-01-01", replacement: "n" } as const;
    const changed: Model = { ...model, state, prices: [FREE], routes: [{ ...route, weight: 9, priority: 2 }] };
    expect(responseKey(chat, changed, "a", here)).toBe(responseKey(chat, model, "a", here));
  });
});
