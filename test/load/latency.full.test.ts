import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startFaultyRelay, type Fault } from "./faulty-relay.ts";
import { runLoad, startMock, targetAt, type LoadRun, type RunningMock } from "./run-load.ts";

let mock: RunningMock;
beforeAll(async () => (mock = await startMock()));
afterAll(() => mock.stop());

/** Runs a client against a relay that corrupts every response. */
async function throughFault(client: string, model: string, more: object, fault: Fault): Promise<LoadRun["result"]> {
  const relay = startFaultyRelay(mock.url, fault);
  try {
    return (await runLoad(client, { direct: mock.target(model), target: targetAt(relay.url, model), ...more })).result;
  } finally {
    await relay.stop();
  }
}

const samples = (count: number): object => ({ count });

describe("paired-latency.ts", () => {
  const pairs = { pairs: 20, warmup: 2 };

  test("samples both sides and the difference within each pair", async () => {
    const { exit, result } = await runLoad("paired-latency", { direct: mock.target("json"), target: mock.target("json"), ...pairs });
    expect(exit).toBe(0);
    expect(result).toMatchObject({ ok: true, pairs: 20, identical: 20, changed: 0 });
    expect(result).toMatchObject({ directUs: samples(20), targetUs: samples(20), addedUs: samples(20) });
  });

  test("distinguishes an equivalent response in other bytes from a different one", async () => {
    const changed = await throughFault("paired-latency", "json", pairs, (body) => body.replace('"service_tier":"default"', '"x":1'));
    expect(changed).toMatchObject({ ok: true, identical: 0, changed: 20 });
    const wrong = await throughFault("paired-latency", "json", pairs, (body) => body.replace("Hello", "Hallo"));
    expect(wrong).toMatchObject({ ok: false, errors: { "a wrong answer": 20 }, addedUs: null });
    const miscounted = await throughFault("paired-latency", "json", pairs, (body) =>
      body.replace('"prompt_tokens":32', '"prompt_tokens":31'),
    );
    expect(miscounted).toMatchObject({ ok: false, errors: { "a wrong answer": 20 } });
  });

  test("detects another status", async () => {
    const refused = await throughFault("paired-latency", "json", pairs, (body) => ({ status: 503, body }));
    expect(refused).toMatchObject({ ok: false, errors: { "status 503": 20 } });
  });
});

describe("first-token.ts", () => {
  test.each([1, 5])("samples both sides with %d callers", async (concurrency) => {
    const { result } = await runLoad("first-token", {
      direct: mock.target("sse-3-1"),
      target: mock.target("sse-3-1"),
      pairs: 20,
      warmup: 2,
      concurrency,
    });
    expect(result).toMatchObject({ ok: true, pairs: 20, directUs: samples(20), targetUs: samples(20), addedUs: samples(20) });
  });

  test("ignores the time of an incomplete stream", async () => {
    const more = { pairs: 10, warmup: 0 };
    const cut = await throughFault("first-token", "sse-3-1", more, (body) => body.replace("data: [DONE]\n\n", ""));
    expect(cut).toMatchObject({ ok: false, pairs: 0, addedUs: null, errors: { "no [DONE]": 10 } });
    const refused = await throughFault("first-token", "sse-3-1", more, (body) => ({ status: 429, body }));
    expect(refused).toMatchObject({ ok: false, errors: { "status 429": 10 } });
  });
});

describe("open-loop.ts", () => {
  const load = { rate: 200, seconds: 0.25, connections: 4, warmup: 4 };

  test("sends requests at the rate, and times each of them", async () => {
    const { result } = await runLoad("open-loop", { target: mock.target("json"), ...load });
    expect(result).toMatchObject({ ok: true, sent: 50, answered: 50, missed: 0, latencyUs: samples(50), timerUs: samples(50) });
  });

  test("includes the time that requests wait behind a slow response", async () => {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch() {
        await Bun.sleep(50);
        return Response.json({});
      },
    });
    const target = targetAt(`http://127.0.0.1:${server.port}`, "json");
    const { result } = await runLoad("open-loop", { target, ...load, connections: 1, warmup: 0 });
    await server.stop(true);
    expect(result).toMatchObject({ ok: true, sent: 50, missed: 0 });
    expect(result["waited"] as number).toBeGreaterThan(40);
    // Fifty responses of 50 ms one after the other, all due within 250 ms: the last one has waited for more than two seconds.
    expect((result["latencyUs"] as { max: number }).max).toBeGreaterThan(2_000_000);
  });

  test("detects wrong responses and other statuses", async () => {
    let answers = 0;
    const spoilLater = (spoiled: Fault): Fault => {
      answers = 0;
      return (body) => (++answers > 5 ? spoiled(body) : body);
    };
    const wrong = await throughFault(
      "open-loop",
      "json",
      load,
      spoilLater((body) => body.replace("Hello", "Hallo")),
    );
    expect(wrong).toMatchObject({ ok: false, errors: { "a wrong answer": 50 } });
    const refused = await throughFault(
      "open-loop",
      "json",
      load,
      spoilLater((body) => ({ status: 500, body })),
    );
    expect(refused).toMatchObject({ ok: false, errors: { "status 500": 50 } });
  });
});
