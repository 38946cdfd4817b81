import { afterAll, beforeAll, expect, test } from "bun:test";
import { chunk, completion, GOOD_CHUNKS, manualStream, rawEvents, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { fund } from "../support/upstreams/money-upstream.ts";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { newAnswer, startCachedModels, type CachedModels } from "./cached-models.ts";

let cached: CachedModels;
/** Holds back a slow response. */
let gate = Promise.withResolvers<void>();

const TERMS = "ttl_seconds: 600, price_percent: 50";

beforeAll(async () => {
  let failures = 1;
  let breaks = 1;
  cached = await startCachedModels({
    good: { terms: TERMS },
    failing: { terms: TERMS, script: (mock) => (failures-- > 0 ? () => new Response("no", { status: 400 }) : newAnswer(mock())) },
    breaking: {
      terms: TERMS,
      script: (mock) => (breaks-- > 0 ? () => rawEvents(`data: ${GOOD_CHUNKS[1]}\n\n`) : newAnswer(mock())),
    },
    slow: { terms: TERMS, script: () => slowAnswer },
    large: { terms: TERMS, script: () => () => Response.json(completion({ content: "x".repeat(1_100_000) })) },
    "large-stream": { terms: TERMS, script: () => () => rawEvents(longStream()) },
  });
});
afterAll(() => cached.stop());

/** Sends one chunk at once, and the rest when the gate opens. */
async function slowAnswer({ body, signal }: RecordedRequest): Promise<Response> {
  const { stream, write, end } = manualStream();
  const finish = async (): Promise<void> => {
    await gate.promise;
    if (signal.aborted) return;
    for (const event of [...GOOD_CHUNKS.slice(2), "[DONE]"]) write(`data: ${event}\n\n`);
    end();
  };
  if (body["stream"] !== true) {
    await gate.promise;
    return Response.json(completion());
  }
  write(`data: ${GOOD_CHUNKS[1]}\n\n`);
  void finish();
  return rawEvents(stream);
}

function longStream(): string {
  const chunks = Array.from({ length: 1200 }, () => chunk({ content: "x".repeat(1000) }));
  return [...chunks, chunk({}, "stop"), "[DONE]"].map((event) => `data: ${event}\n\n`).join("");
}

async function asked(...args: Parameters<CachedModels["ask"]>): Promise<{ cache: string | null; text: string; status: number }> {
  const reply = await cached.ask(...args);
  return { cache: reply.headers.get("x-tollgate-cache"), text: await reply.text(), status: reply.status };
}

test("a failed response is not stored", async () => {
  expect((await asked("failing")).status).toBe(400);
  expect((await asked("failing")).cache).toBe("miss");
  expect((await asked("failing")).cache).toBe("hit");
});

test("a stream that fails is not stored", async () => {
  expect((await asked("breaking", { stream: true })).text).not.toContain("[DONE]");
  expect((await asked("breaking", { stream: true })).cache).toBe("miss");
  expect((await asked("breaking", { stream: true })).cache).toBe("hit");
});

test("a response whose client disconnects is not stored", async () => {
  for (const stream of [true, false]) {
    gate = Promise.withResolvers();
    const body = JSON.stringify({ model: "slow", messages: [{ role: "user", content: "hi" }], stream });
    const leaving = new AbortController();
    const calls = cached.calls();
    const reply = cached.send(body, {}, leaving.signal).then((response) => response.text());
    await waitFor(() => cached.calls() > calls);
    leaving.abort();
    await reply.catch(() => undefined);
    await waitFor(() => cached.mock.last().signal.aborted);
    gate.resolve();
    const again = await cached.send(body);
    await again.text();
    expect(again.headers.get("x-tollgate-cache")).toBe("miss");
  }
});

test("a response that was shortened because credit was short is not stored", async () => {
  const poor = await fund(cached.gateway, "poor", "0.0003");
  const as = { authorization: `Bearer ${poor.key}` };
  const short = await cached.ask("good", { seed: 1 }, as);
  expect([short.headers.get("x-tollgate-cache"), Number(short.headers.get("x-tollgate-max-tokens")) > 0]).toEqual(["miss", true]);
  await cached.gateway.platform("POST", "/api/accounts/poor/grants", { amount: "1", reference: "more", reason: "more" });
  expect((await asked("good", { seed: 1 }, as)).cache).toBe("miss");
  expect((await asked("good", { seed: 1 }, as)).cache).toBe("hit");
});

test("a response that was shortened by x-max-cost is not stored, and a cached one is served where x-max-cost pays for it", async () => {
  const short = await asked("good", { seed: 2, stream: true }, { "x-max-cost": "0.0002" });
  expect([short.cache, short.status]).toEqual(["miss", 200]);
  expect((await asked("good", { seed: 2, stream: true })).cache).toBe("miss");
  const counted = { seed: 2, stream: true, stream_options: { include_usage: true } };
  const exactly = await cached.ask("good", counted, { "x-max-cost": "0.00000405" });
  expect(exactly.headers.get("x-tollgate-cache")).toBe("hit");
  const text = await exactly.text();
  expect(text).toContain('"finish_reason":"stop"');
  expect(text).toContain('"cost":"0.00000405","provenance":"measured"');
  // The amount is below the cost of the cached response, but another response may be shorter.
  const tooLittle = await cached.ask("good", { seed: 2, stream: true }, { "x-max-cost": "0.000004" });
  expect(tooLittle.status).toBe(402);
});

test("a response that is too large is sent, and not stored", async () => {
  for (const [model, stream] of [
    ["large", false],
    ["large-stream", true],
  ] as const) {
    const first = await asked(model, { stream });
    expect([first.cache, first.status, first.text.length > 1_100_000]).toEqual(["miss", 200, true]);
    expect((await asked(model, { stream })).cache).toBe("miss");
  }
});
