import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import type { Instance } from "../support/gateway/gateway-processes.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;
/** Holds back the responses of the slow model. */
let gate = Promise.withResolvers<void>();

const MODELS = ["json", "slow", "stream", "cut", "breaking", "flaky", "large"];

beforeAll(async () => {
  // The number of failures, which is equal to the gateway's number of attempts.
  let failures = 2;
  let breaks = 1;
  mock = startMockUpstream({
    "up-json": () => Response.json(completion({ content: `answer ${mock.requests.length}` })),
    "up-slow": async ({ body }) => {
      await gate.promise;
      if (body["stream"] === true) return events(GOOD_CHUNKS);
      return Response.json(completion({ content: `answer ${mock.requests.length}` }));
    },
    "up-stream": () => events(GOOD_CHUNKS),
    "up-cut": () => slowStream(),
    "up-breaking": () => (breaks-- > 0 ? rawEvents(`data: ${GOOD_CHUNKS[1]}\n\n`) : events(GOOD_CHUNKS)),
    "up-flaky": () => (failures-- > 0 ? new Response("down", { status: 500 }) : Response.json(completion())),
    "up-large": () => Response.json(completion({ content: "x".repeat(1_100_000) })),
  });
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, MODELS) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

/** Sends two chunks, and the rest when the gate opens. */
function slowStream(): Response {
  const { stream, write, end } = manualStream();
  for (const event of GOOD_CHUNKS.slice(0, 2)) write(`data: ${event}\n\n`);
  const finish = async (): Promise<void> => {
    await gate.promise;
    for (const event of [...GOOD_CHUNKS.slice(2), "[DONE]"]) write(`data: ${event}\n\n`);
    end();
  };
  void finish();
  return rawEvents(stream);
}

function ask(
  model: string,
  idempotencyKey: string | undefined,
  more: object = {},
  { headers, ...init }: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      ...headers,
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...more }),
    ...init,
  });
}

/** The number of requests of connected clients. */
async function inFlight(): Promise<number> {
  const { data } = await gateway.platform<{ data: Instance[] }>("GET", "/api/instances");
  return data[0]!.in_flight;
}

async function credit(): Promise<number> {
  const account = await gateway.platform<{ credit: string; held: string }>("GET", "/api/accounts/default");
  expect(account.held).toBe("0.00");
  return Number(account.credit);
}

async function spentBy(work: () => Promise<unknown>): Promise<number> {
  const before = await credit();
  await work();
  return before - (await credit());
}

/** Five prompt tokens, one of them cached, and two output tokens. */
const ONE_ANSWER = (4 * 1 + 0.1 + 2 * 2) / 1e6;

describe("under the same Idempotency-Key", () => {
  test("replays the same bytes with one call and one charge, and the replay has a cost of zero", async () => {
    const calls = mock.requests.length;
    const spent = await spentBy(async () => {
      const first = await ask("json", "a-1");
      const second = await ask("json", "a-1");
      expect(await second.text()).toBe(await first.text());
      expect([first.headers.get("x-tollgate-cost"), second.headers.get("x-tollgate-cost")]).toEqual(["0.0000081", "0.00"]);
      expect(second.headers.get("x-tollgate-replayed")).toBe(first.headers.get("x-request-id"));
      expect(second.headers.get("content-type")).toBe("application/json");
      expect(first.headers.get("x-tollgate-replayed")).toBeNull();
    });
    expect(mock.requests.length - calls).toBe(1);
    expect(spent).toBeCloseTo(ONE_ANSWER, 9);
  });

  test("a stream is replayed event by event, with its receipt", async () => {
    const wanted = { stream: true, stream_options: { include_usage: true } };
    const calls = mock.requests.length;
    const spent = await spentBy(async () => {
      const first = await (await ask("stream", "s-1", wanted)).text();
      const again = await ask("stream", "s-1", wanted);
      expect(again.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(await again.text()).toBe(first);
      expect(first).toContain('"receipt"');
      expect(first).toEndWith("data: [DONE]\n\n");
    });
    expect(mock.requests.length - calls).toBe(1);
    expect(spent).toBeCloseTo(ONE_ANSWER, 9);
  });

  test("a concurrent duplicate waits for the first", async () => {
    gate = Promise.withResolvers();
    const calls = mock.requests.length;
    const spent = await spentBy(async () => {
      const asked = Array.from({ length: 5 }, () => ask("slow", "w-1"));
      await eventually(inFlight, (count) => count === asked.length);
      gate.resolve();
      const texts = await Promise.all(asked.map(async (each) => (await each).text()));
      expect(new Set(texts).size).toBe(1);
    });
    expect(mock.requests.length - calls).toBe(1);
    expect(spent).toBeCloseTo(ONE_ANSWER, 9);
  });

  test("another body is rejected, also while the first is in flight", async () => {
    await (await ask("json", "b-1")).text();
    const refusal = await ask("json", "b-1", { temperature: 1 });
    expect(refusal.status).toBe(400);
    expect((await refusal.json()) as object).toMatchObject({ error: { code: "invalid_value", param: "Idempotency-Key" } });

    gate = Promise.withResolvers();
    const calls = mock.requests.length;
    const first = ask("slow", "b-2");
    await waitFor(() => mock.requests.length > calls);
    expect((await ask("slow", "b-2", { temperature: 1 })).status).toBe(400);
    gate.resolve();
    expect((await first).status).toBe(200);
  });

  test("requests of other API keys are separate", async () => {
    const other = await gateway.makeKey();
    const first = await (await ask("json", "k-1")).text();
    const second = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${other.key}`, "content-type": "application/json", "idempotency-key": "k-1" },
      body: JSON.stringify({ model: "json", messages: [{ role: "user", content: "hi" }] }),
    });
    expect(await second.text()).not.toBe(first);
  });

  test("a failure is not stored: a retry calls the upstream", async () => {
    expect((await ask("flaky", "f-1")).status).toBe(502);
    expect((await ask("flaky", "f-1")).status).toBe(200);
  });

  test("a stream that fails is charged for the received part, as without a key, or a slow reader could have it free", async () => {
    const broken = await spentBy(async () => {
      const first = await (await ask("breaking", "f-2", { stream: true })).text();
      expect(first).toContain('"code":"upstream_error"');
    });
    expect(broken).toBeGreaterThan(0);
    const whole = await spentBy(async () => {
      const second = await (await ask("breaking", "f-2", { stream: true })).text();
      expect(second).toEndWith("data: [DONE]\n\n");
    });
    expect(whole).toBeCloseTo(ONE_ANSWER, 9);
  });

  test("a client that disconnects mid-stream receives the complete response on its retry, charged once", async () => {
    gate = Promise.withResolvers();
    const calls = mock.requests.length;
    const spent = await spentBy(async () => {
      const leaving = new AbortController();
      const first = await ask("cut", "c-1", { stream: true }, { signal: leaving.signal });
      await first.body!.getReader().read();
      leaving.abort();
      await eventually(inFlight, (count) => count === 0);
      gate.resolve();
      const again = await (await ask("cut", "c-1", { stream: true })).text();
      expect(again).toContain(" world");
      expect(again).toEndWith("data: [DONE]\n\n");
    });
    expect(mock.requests.length - calls).toBe(1);
    expect(spent).toBeCloseTo(ONE_ANSWER, 9);
  });

  for (const stream of [false, true]) {
    test(`a client whose timeout is exceeded receives 504, and the complete response on its retry, charged once (stream: ${stream})`, async () => {
      gate = Promise.withResolvers();
      const calls = mock.requests.length;
      const spent = await spentBy(async () => {
        const late = await ask("slow", `late-${stream}`, { stream }, { headers: { "x-timeout-ms": "1500" } });
        expect(late.status).toBe(504);
        gate.resolve();
        const again = await ask("slow", `late-${stream}`, { stream });
        expect([again.status, again.headers.get("x-tollgate-replayed")]).toEqual([200, expect.any(String)]);
        expect(await again.text()).toContain(stream ? " world" : "answer");
      });
      expect(mock.requests.length - calls).toBe(1);
      expect(spent).toBeCloseTo(ONE_ANSWER, 9);
    });
  }

  test("so does a client that disconnects before a JSON response", async () => {
    gate = Promise.withResolvers();
    const calls = mock.requests.length;
    const spent = await spentBy(async () => {
      const leaving = new AbortController();
      const first = ask("slow", "c-2", {}, { signal: leaving.signal }).catch(() => undefined);
      await waitFor(() => mock.requests.length > calls);
      leaving.abort();
      await first;
      await eventually(inFlight, (count) => count === 0);
      gate.resolve();
      expect((await ask("slow", "c-2")).headers.get("x-tollgate-replayed")).not.toBeNull();
    });
    expect(mock.requests.length - calls).toBe(1);
    expect(spent).toBeCloseTo(ONE_ANSWER, 9);
  });

  test("a response too large to store is charged once, and the retry is a 400", async () => {
    expect((await ask("large", "l-1")).status).toBe(200);
    const again = await ask("large", "l-1");
    expect(again.status).toBe(400);
    expect(((await again.json()) as { error: { message: string } }).error.message).toContain("its response is not stored");
  });
});

test("a stored reply survives a restart", async () => {
  const first = await (await ask("json", "p-1")).text();
  await gateway.end();
  gateway = await startGateway({ folder: gateway.folder });
  const calls = mock.requests.length;
  const again = await ask("json", "p-1");
  expect(await again.text()).toBe(first);
  expect(mock.requests.length).toBe(calls);
});

test("without the header, or with an invalid one, nothing is replayed", async () => {
  const [first, second] = [await (await ask("json", undefined)).text(), await (await ask("json", undefined)).text()];
  expect(first).not.toBe(second);
  for (const bad of ["", "a b", "x".repeat(256)]) expect([bad, (await ask("json", bad)).status]).toEqual([bad, 400]);
});
