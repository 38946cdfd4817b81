import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandRunner } from "../commands/command-runner.ts";
import { expectGoodCompletion, expectGoodStream } from "../support/upstreams/conformance.ts";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { fund } from "../support/upstreams/money-upstream.ts";
import { nanosOf } from "../money/ledger-of.ts";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { startCachedModels, type CachedModels } from "./cached-models.ts";
import { eventually } from "../support/eventually.ts";

let cached: CachedModels;

beforeAll(async () => {
  const { usage: _usage, ...uncounted } = completion() as Record<string, unknown>;
  cached = await startCachedModels({
    plain: {},
    half: { terms: "ttl_seconds: 600, price_percent: 50" },
    gratis: { terms: "ttl_seconds: 600" },
    dropping: { terms: "ttl_seconds: 600", more: ", parameters: { seed: drop }" },
    brief: { terms: "ttl_seconds: 1" },
    uncounted: { terms: "ttl_seconds: 600, price_percent: 100", script: () => () => Response.json(uncounted) },
  });
});
afterAll(() => cached.stop());

/** The number of upstream calls caused by the work. */
async function callsOf(work: () => Promise<unknown>): Promise<number> {
  const before = cached.calls();
  await work();
  return cached.calls() - before;
}

const cacheOf = (reply: Response): string | null => reply.headers.get("x-tollgate-cache");

const as = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** Sends a request and reads the reply: hit, miss, or null. */
async function asked(...args: Parameters<CachedModels["ask"]>): Promise<string | null> {
  const reply = await cached.ask(...args);
  await reply.text();
  return cacheOf(reply);
}

describe("the same request", () => {
  test("is a call each time, unless the model has a response cache", async () => {
    const calls = await callsOf(async () => {
      expect([await asked("plain"), await asked("plain")]).toEqual([null, null]);
    });
    expect(calls).toBe(2);
  });

  test("is served from the cache with the same bytes, marked as a hit, without a call, at the price of cached responses", async () => {
    const first = await cached.ask("half");
    const text = await first.text();
    expect([cacheOf(first), first.headers.get("x-tollgate-cost")]).toEqual(["miss", "0.0000081"]);
    const calls = await callsOf(async () => {
      const again = await cached.ask("half");
      expect(await again.text()).toBe(text);
      expect([cacheOf(again), again.headers.get("x-tollgate-cost")]).toEqual(["hit", "0.00000405"]);
      expect(again.headers.get("x-tollgate-provenance")).toBe("measured");
      expect(again.headers.get("x-tollgate-price-version")).not.toBe(first.headers.get("x-tollgate-price-version"));
      expect([again.headers.get("x-tollgate-upstream"), again.headers.get("x-tollgate-attempts")]).toEqual([null, null]);
    });
    expect(calls).toBe(0);
    expectGoodCompletion(text, "half");
  });

  test("is free by default, and its receipt names the cache", async () => {
    await asked("gratis");
    const again = await cached.ask("gratis");
    await again.text();
    expect([again.headers.get("x-tollgate-cost"), again.headers.get("x-tollgate-price-version")]).toEqual(["0.00", "free"]);
    const receipt = await cached.gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${again.headers.get("x-request-id")}`);
    expect(receipt).toMatchObject({
      state: "settled",
      upstream: "cache",
      upstream_model: null,
      attempts: 0,
      held: "0.00",
      charged: "0.00",
      reason: "complete",
    });
    const requestId = again.headers.get("x-request-id");
    const printed = await commandRunner(cached.gateway).text(`receipt ${requestId}`);
    expect(printed).toMatch(/^Model +gratis, served from the response cache$/m);
    expect(printed).toMatch(/^Tokens +from the response cache, as counted for the original response$/m);
    const line = await waitFor(() => cached.gateway.logLines().find((each) => each["request_id"] === requestId));
    expect(line).toMatchObject({ cache: "hit", prompt_tokens: 5, cost: "0.00" });
  });

  test("as a stream is served chunk by chunk, with usage where the client requests it", async () => {
    const wanted = { stream: true, stream_options: { include_usage: true } };
    const first = await cached.ask("half", { stream: true });
    const chunks = expectGoodStream(await first.text(), "half");
    expect(cacheOf(first)).toBe("miss");
    const calls = await callsOf(async () => {
      const again = await cached.ask("half", { stream: true });
      expect(cacheOf(again)).toBe("hit");
      expect(expectGoodStream(await again.text(), "half")).toEqual(chunks);
      const counted = expectGoodStream(await (await cached.ask("half", wanted)).text(), "half", { usage: true });
      expect(counted.slice(0, -1)).toEqual(chunks);
      expect(counted.at(-1)).toMatchObject({ id: chunks[0]!.id, usage: { prompt_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } } });
      expect((counted.at(-1) as unknown as { receipt: { cost: string } }).receipt.cost).toBe("0.00000405");
    });
    expect(calls).toBe(0);
  });

  test("without usage of the upstream is charged by the same estimate, whatever its JSON formatting", async () => {
    const first = await cached.ask("uncounted");
    const again = await cached.send('{ "messages": [{"content":"How much is the fish?", "role":"user"}],   "model": "uncounted" }');
    expect(cacheOf(again)).toBe("hit");
    expect(await again.text()).toBe(await first.text());
    for (const name of ["x-tollgate-cost", "x-tollgate-provenance", "x-tollgate-price-version"]) {
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(again.headers.get("x-tollgate-provenance")).toBe("estimated");
  });

  test("has the dropped parameters of the original in its headers", async () => {
    const replies = [await cached.ask("dropping", { seed: 1 }), await cached.ask("dropping", { seed: 1 })];
    expect(replies.map((reply) => [cacheOf(reply), reply.headers.get("x-tollgate-dropped")])).toEqual([
      ["miss", "seed"],
      ["hit", "seed"],
    ]);
  });

  test("is a call again after the TTL", async () => {
    expect(await asked("brief")).toBe("miss");
    await eventually(
      () => asked("brief"),
      (cache) => cache === "miss",
    );
  });
});

describe("the cache key", () => {
  const said = '"messages":[{"role":"user","content":"same?"}]';

  test("does not depend on JSON formatting", async () => {
    const spellings = [
      `{"model":"half",${said},"temperature":1,"seed":100,"stop":["a","b"]}`,
      `{"stop": ["a", "b"], "seed": 1e2, "temperature": 1.0, "messages": [{"content": "s\\u0061me?", "role": "user"}], "model": "half"}`,
      `{"model":"half",${said},"temperature":1,"seed":100,"stop":["a","b"],"stream":false,"stream_options":null,"user":null}`,
    ];
    const calls = await callsOf(async () => {
      for (const text of spellings) await (await cached.send(text)).text();
    });
    expect(calls).toBe(1);
  });

  test("depends on every field", async () => {
    const questions = [
      `{"model":"half",${said},"max_tokens":5}`,
      `{"model":"half",${said},"max_tokens":6}`,
      `{"model":"gratis",${said},"max_tokens":5}`,
      `{"model":"half",${said},"max_tokens":5,"stream":true}`,
      `{"model":"half",${said},"max_tokens":5,"user":"ann"}`,
      `{"model":"half",${said},"max_tokens":5,"seed":9007199254740992}`,
      `{"model":"half",${said},"max_tokens":5,"seed":9007199254740993}`,
      `{"model":"half","messages":[{"role":"user","content":"same? "}],"max_tokens":5}`,
    ];
    const calls = await callsOf(async () => {
      for (const text of questions) await (await cached.send(text)).text();
    });
    expect(calls).toBe(questions.length);
  });

  test("depends on the account: its keys share the cache, accounts never do", async () => {
    const question = { seed: 1 };
    const other = await fund(cached.gateway, "other");
    const sameAccount = await cached.gateway.makeKey();
    expect(await asked("half", question)).toBe("miss");
    expect(await asked("half", question, as(other.key))).toBe("miss");
    expect(await asked("half", question, as(other.key))).toBe("hit");
    expect(await asked("half", question, as(sameAccount.key))).toBe("hit");
  });
});

describe("Cache-Control", () => {
  test("no-store: the response is neither read from the cache nor stored, and has no cache header", async () => {
    const noStore = { "cache-control": "max-age=0, No-Store" };
    const question = { seed: 2 };
    expect(await asked("half", question, noStore)).toBeNull();
    expect(await asked("half", question)).toBe("miss");
    const calls = await callsOf(() => asked("half", question, noStore));
    expect(calls).toBe(1);
    expect(await asked("half", question)).toBe("hit");
  });

  test("no-cache: the upstream is called, and its response replaces the cached one", async () => {
    const question = { seed: 3 };
    const texts: string[] = [];
    for (const headers of [{}, { "cache-control": "no-cache" }, {}] as Record<string, string>[]) {
      texts.push(await (await cached.ask("half", question, headers)).text());
    }
    expect(texts[1]).not.toBe(texts[0]!);
    expect(texts[2]).toBe(texts[1]);
  });
});

test("a cached response counts against rate limits, and is replayed under an Idempotency-Key for free", async () => {
  const question = { seed: 4 };
  await asked("half", question);
  const { key } = await cached.gateway.makeKey(["*"], { limits: { requests_per_minute: 1 } });
  const headers = { ...as(key), "idempotency-key": "once" };
  const first = await cached.ask("half", question, headers);
  const second = await cached.ask("half", question, headers);
  expect([cacheOf(first), cacheOf(second)]).toEqual(["hit", "hit"]);
  expect([first.headers.get("x-tollgate-cost"), second.headers.get("x-tollgate-cost")]).toEqual(["0.00000405", "0.00"]);
  expect(await second.text()).toBe(await first.text());
  expect((await cached.ask("half", question, as(key))).status).toBe(429);
});

test("a cached response requires credit for its price", async () => {
  const poor = await fund(cached.gateway, "poor", "0.0000081");
  await cached.gateway.platform("POST", "/api/accounts/poor/grants", { amount: "1", reference: "x", reason: "x" });
  expect(await asked("half", { seed: 5 }, as(poor.key))).toBe("miss");
  await cached.gateway.platform("POST", "/api/accounts/poor/adjustments", { amount: "-0.99999595", reference: "y", reason: "y" });
  expect(await asked("half", { seed: 5 }, as(poor.key))).toBe("hit");
  const left = await cached.gateway.platform<{ credit: string }>("GET", "/api/accounts/poor");
  expect(left.credit).toBe("0.00");
  expect((await cached.ask("half", { seed: 5 }, as(poor.key))).status).toBe(402);
});

test("afterwards the auditor agrees, and knows every price version", async () => {
  const audit = await cached.gateway.platform<Record<string, unknown>>("GET", "/api/audit");
  expect(audit).toMatchObject({ discrepancy_count: 0 });
  const { credit, held } = await cached.gateway.platform<Record<string, string>>("GET", "/api/accounts/default");
  expect([nanosOf(credit!) < nanosOf("1000.00"), held]).toEqual([true, "0.00"]);
});
