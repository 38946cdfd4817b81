import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chunk,
  completion,
  events,
  manualStream,
  rawEvents,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/**
 * Requests with little credit, or with a spend cap. An input token costs a micro-dollar, an output token two. Credit is set by adjustments,
 * because a test must know it to the last nano-dollar.
 */
let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({
    json: () => Response.json(completion()),
    chatty: () =>
      events([
        chunk({ role: "assistant", content: "" }),
        ...Array.from({ length: 200 }, () => chunk({ content: "word " })),
        chunk({}, "stop"),
        usageChunk(),
      ]),
    endless: () => endless(),
    uncounted: () => Response.json(completion({}, { usage: undefined })),
    verbose: () => Response.json(completion({}, { usage: { prompt_tokens: 5, completion_tokens: 50_000, total_tokens: 50_005 } })),
  });
  gateway = await startGateway({
    yaml: `upstreams:
  - { id: mock, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true }
models:
  - { id: open, routes: [{ upstream: mock, model: json }], price: { input_per_million: 1, output_per_million: 2 } }
  - { id: capped, routes: [{ upstream: mock, model: json }], max_output_tokens: 500, price: { input_per_million: 1, output_per_million: 2 } }
  - { id: chatty, routes: [{ upstream: mock, model: chatty }], price: { input_per_million: 1, output_per_million: 2 } }
  - { id: endless, routes: [{ upstream: mock, model: endless }], price: { input_per_million: 1, output_per_million: 2 } }
  - { id: verbose, routes: [{ upstream: mock, model: verbose }], price: { input_per_million: 1, output_per_million: 2 } }
  - { id: small, routes: [{ upstream: mock, model: uncounted }], context_window: 1000, price: { input_per_million: 1, output_per_million: 2 } }
  - { id: gratis, routes: [{ upstream: mock, model: json }], free: true }
  - { id: unpriced, routes: [{ upstream: mock, model: json }] }
  - id: dated
    routes: [{ upstream: mock, model: json }]
    prices:
      - { effective: 2020-01-01, input_per_million: 10, output_per_million: 10 }
      - { effective: 2021-01-01, input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.5 }
      - { effective: 2999-01-01, input_per_million: 100, output_per_million: 100 }
  - id: tiered
    routes: [{ upstream: mock, model: json }]
    price: { input_per_million: 1, output_per_million: 2, tiers: [{ above_input_tokens: 4, input_per_million: 10, output_per_million: 20 }] }
`,
  });
  ({ key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "test", models: ["*"] }));
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

/** Sends text until it is cancelled. */
function endless(): Response {
  const { stream, write, cancelled } = manualStream();
  write(`data: ${chunk({ role: "assistant", content: "" })}\n\n`);
  const timer = setInterval(() => write(`data: ${chunk({ content: "four" })}\n\n`), 1);
  void cancelled.then(() => clearInterval(timer));
  return rawEvents(stream);
}

async function available(): Promise<string> {
  const account = await gateway.platform<{ available: string; held: string }>("GET", "/api/accounts/default");
  return account.available;
}

async function setCredit(dollars: string): Promise<void> {
  const difference = BigInt(toNanos(dollars)) - BigInt(toNanos(await available()));
  if (difference === 0n) return;
  const sign = difference < 0n ? "-" : "";
  const size = (difference < 0n ? -difference : difference).toString().padStart(10, "0");
  const amount = `${sign}${size.slice(0, -9)}.${size.slice(-9)}`;
  await gateway.platform("POST", "/api/accounts/default/adjustments", { amount, reference: crypto.randomUUID(), reason: "for a test" });
  expect(await available()).toBe(dollars);
}

function toNanos(dollars: string): string {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(dollars)!;
  return `${sign}${whole}${fraction.padEnd(9, "0")}`;
}

function ask(model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: bodyOf(model, more),
  });
}

function bodyOf(model: string, more: object = {}): string {
  return JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], ...more });
}

async function errorOf(
  reply: Promise<Response>,
): Promise<{ status: number; code: string; type: string; message: string; param: string | null }> {
  const response = await reply;
  const { error } = (await response.json()) as { error: { code: string; type: string; message: string; param: string | null } };
  return { status: response.status, ...error };
}

describe("credit", () => {
  test("none: a 402 with the remaining amount, and no call to the upstream", async () => {
    await setCredit("0.00");
    const calls = mock.requests.length;
    const error = await errorOf(ask("open"));
    expect(error).toMatchObject({ status: 402, type: "insufficient_quota", code: "insufficient_credits", param: null });
    expect(error.message).toContain("the account default has $0.00 of credit left, which does not pay for the prompt: $0.000");
    expect(mock.requests.length).toBe(calls);
  });

  test("too little for the requested max_tokens: a 402 with the highest max_tokens that it pays for", async () => {
    await setCredit("0.0005");
    const error = await errorOf(ask("open", { max_tokens: 10_000 }));
    expect(error.code).toBe("insufficient_credits");
    const maxTokens = Number(/max_tokens: (\d+)/.exec(error.message)?.[1]);
    // The bound of the prompt is the bytes of the body, which include max_tokens itself.
    const bodyBytes = bodyOf("open", { max_tokens: 10_000 }).length;
    expect(maxTokens).toBe(Math.floor((500 - bodyBytes) / 2));
    expect((await ask("open", { max_tokens: maxTokens })).status).toBe(200);
    await setCredit("0.0005");
    expect((await errorOf(ask("open", { max_tokens: maxTokens + 3 }))).code).toBe("insufficient_credits");
  });

  test("too little for the maximum output: the response is limited to what it pays for, by max_tokens", async () => {
    await setCredit("0.0005");
    const reply = await ask("open");
    expect(reply.status).toBe(200);
    const affordable = Math.floor((500 - bodyOf("open").length) / 2);
    expect(mock.last().body["max_tokens"]).toBe(affordable);
    expect(reply.headers.get("x-tollgate-max-tokens")).toBe(String(affordable));
  });

  test("enough: the model's maximum is sent, a lower max_tokens of the client stays, a higher one is lowered", async () => {
    await setCredit("100.00");
    await ask("capped");
    expect(mock.last().body["max_tokens"]).toBe(500);
    await ask("capped", { max_tokens: 7 });
    expect(mock.last().text).toBe(bodyOf("json", { max_tokens: 7 }));
    await ask("capped", { max_completion_tokens: 9000 });
    expect(mock.last().body).toMatchObject({ max_completion_tokens: 500 });
    expect(mock.last().body["max_tokens"]).toBeUndefined();
    await ask("open");
    expect(mock.last().body["max_tokens"]).toBeUndefined();
  });

  test("several choices share it", async () => {
    await setCredit("0.0005");
    expect((await ask("open", { n: 3 })).status).toBe(200);
    expect(mock.last().body["max_tokens"]).toBe(Math.floor(Math.floor((500 - bodyOf("open", { n: 3 }).length) / 2) / 3));
  });

  test("a free model needs none, even in debt; a model without a price is rejected and not listed", async () => {
    await setCredit("-1.00");
    const reply = await ask("gratis");
    expect([reply.status, reply.headers.get("x-tollgate-cost"), reply.headers.get("x-tollgate-price-version")]).toEqual([
      200,
      "0.00",
      "free",
    ]);
    const error = await errorOf(ask("unpriced"));
    expect(error).toMatchObject({ status: 403, code: "model_not_allowed" });
    expect(error.message).toContain("has no price");
    const list = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
    const ids = ((await list.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    expect(ids).toContain("gratis");
    expect(ids).not.toContain("unpriced");
  });
});

describe("prices", () => {
  test("charges the version in force, with cached tokens at their own rate, and names it", async () => {
    await setCredit("1.00");
    const reply = await ask("dated");
    // Five prompt tokens, one of them cached, and two output tokens.
    expect(reply.headers.get("x-tollgate-cost")).toBe("0.0000085");
    const { data } = await gateway.platform<{ data: { id: string; price: { version: string }; upcoming_prices: object[] }[] }>(
      "GET",
      "/api/models",
    );
    const dated = data.find(({ id }) => id === "dated")!;
    expect(reply.headers.get("x-tollgate-price-version")).toBe(dated.price.version);
    expect(dated.upcoming_prices).toMatchObject([{ input_per_million: 100 }]);
  });

  test("a long prompt is charged by its tier", async () => {
    await setCredit("1.00");
    expect((await ask("tiered")).headers.get("x-tollgate-cost")).toBe("0.00009");
  });
});

test("the estimate of a prompt is at most the model's context window, however many bytes an image has", async () => {
  await setCredit("1.00");
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(400_000)}` } };
  const reply = await ask("small", { messages: [{ role: "user", content: [picture] }] });
  expect(await reply.json()).toMatchObject({ usage: { prompt_tokens: 1000, completion_tokens: 3 } });
  expect(reply.headers.get("x-tollgate-cost")).toBe("0.001006");
});

describe("x-max-cost", () => {
  test("limits a response to what it pays for, also below the requested max_tokens", async () => {
    await setCredit("1.00");
    const reply = await ask("open", { max_tokens: 5000 }, { "x-max-cost": "0.0005" });
    expect(reply.status).toBe(200);
    expect(mock.last().body["max_tokens"]).toBe(Math.floor((500 - bodyOf("open", { max_tokens: 5000 }).length) / 2));
  });

  test("that does not pay for the prompt is a 402", async () => {
    const error = await errorOf(ask("open", {}, { "x-max-cost": "0.00001" }));
    expect(error).toMatchObject({ status: 402, code: "budget_exceeded", param: "x-max-cost" });
  });

  test("stops a stream whose upstream ignores max_tokens, with finish_reason length, usage and [DONE]", async () => {
    await setCredit("1.00");
    const wanted = { stream: true, stream_options: { include_usage: true } };
    const reply = await ask("endless", wanted, { "x-max-cost": "0.0003" });
    const text = await reply.text();
    expect(text).toContain('"finish_reason":"length"');
    expect(text).toEndWith("data: [DONE]\n\n");
    const chunks = text
      .split("\n\n")
      .filter((frame) => frame.startsWith("data: {"))
      .map((frame) => JSON.parse(frame.slice(6)) as Record<string, unknown>);
    expect(chunks.at(-1)).toMatchObject({ choices: [], receipt: { provenance: "estimated" } });
    const cost = Number((chunks.at(-1)!["receipt"] as { cost: string }).cost);
    expect(cost).toBeLessThanOrEqual(0.0003);
    expect(cost).toBeGreaterThan(0.0002);
    expect(await available()).toBe((1 - cost).toFixed(9).replace(/0{1,7}$/, ""));
  });

  test("that is not reached changes nothing", async () => {
    const reply = await ask("chatty", { stream: true }, { "x-max-cost": "0.5" });
    const text = await reply.text();
    expect(text).toContain('"finish_reason":"stop"');
    expect(text).not.toContain('"finish_reason":"length"');
  });

  test("above the hold: an excess over the hold is charged up to it", async () => {
    await setCredit("1.00");
    const costs = [{ "x-max-cost": "0.5" }, {}, { "x-max-cost": "0.08" }].map(async (headers) => {
      return (await ask("verbose", {}, headers)).headers.get("x-tollgate-cost");
    });
    expect(await Promise.all(costs)).toEqual(["0.100005", "0.100005", "0.08"]);
    expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });

  test("that is not an amount is a 400", async () => {
    for (const bad of ["", "0", "-1", "1e3", "a", "0.0000000001"]) {
      expect(await errorOf(ask("open", {}, { "x-max-cost": bad }))).toMatchObject({ status: 400, param: "x-max-cost" });
    }
  });
});

describe("a spend cap of a key", () => {
  const cases = [
    { cap: "day", reset: /the daily spend cap of this key has \$0\.00\d* left.*It resets at \d{4}-\d\d-\d\dT00:00:00\.000Z\.$/ },
    { cap: "month", reset: /the monthly spend cap of this key .*It resets at \d{4}-\d\d-01T00:00:00\.000Z\.$/ },
    { cap: "total", reset: /the total spend cap of this key .*It does not reset; the operator can raise it\.$/ },
  ];
  for (const { cap, reset } of cases) {
    test(`per ${cap} returns a 402 with its reset`, async () => {
      await setCredit("1.00");
      const made = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "b", models: ["*"], caps: { [cap]: "0.0002" } });
      const call = (): Promise<Response> =>
        fetch(`${gateway.baseUrl}/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json" },
          body: bodyOf("dated", { max_tokens: 50 }),
        });
      let replies = 0;
      let reply = await call();
      for (; reply.status === 200; reply = await call()) replies++;
      expect(replies).toBeGreaterThan(0);
      const { error } = (await reply.json()) as { error: { code: string; message: string } };
      expect([reply.status, error.code]).toEqual([402, "budget_exceeded"]);
      expect(error.message).toMatch(reset);
    });
  }
});
