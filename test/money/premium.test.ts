import { afterAll, describe, expect, test } from "bun:test";
import { CREDENTIAL, startAnthropicServer, type Script } from "../dialects/anthropic-server.ts";
import { blockEvents, message, messageDelta, START, STOP, text } from "../dialects/messages-answers.ts";
import { RESPONSES_CREDENTIAL, saying, startResponsesServer } from "../responses/responses-server.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

type Json = Readonly<Record<string, unknown>>;

/** What the double has used, and bills. */
const COUNTS = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 50, output_tokens: 7 };
const HOUR = { ...COUNTS, cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 } };
const USAGES: Readonly<Record<string, Json>> = {
  plain: { ...COUNTS, cache_creation_input_tokens: 0 },
  hour: HOUR,
  searched: { ...COUNTS, server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } },
  "searched-often": { ...COUNTS, server_tool_use: { web_search_requests: 100 } },
  fast: { ...HOUR, speed: "fast", inference_geo: "us", server_tool_use: { web_search_requests: 1 } },
  compacted: {
    ...COUNTS,
    iterations: [
      { type: "compaction", input_tokens: 20, output_tokens: 10 },
      { type: "message", ...COUNTS },
    ],
  },
  unknown: { ...COUNTS, search_units: 4 },
};

const SCRIPTS: Record<string, Script> = Object.fromEntries(
  Object.entries(USAGES).map(([name, usage]): [string, Script] => [
    name,
    ({ stream }) => {
      if (stream !== true) return Response.json(message([text("Hello")], "end_turn", { usage }));
      const start = { ...START, message: { ...START.message, usage: { ...usage, output_tokens: 1 } } };
      return [start, ...blockEvents(text("Hello"), 0), messageDelta("end_turn", usage), STOP];
    },
  ]),
);

const claude = startAnthropicServer(SCRIPTS);
const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "x" } };
const openai = startResponsesServer({
  usual: () => ({ items: [saying("Hello")] }),
  searched: () => ({
    items: [search, { ...search, id: "ws_2", action: { type: "open_page", url: "https://a.example" } }, saying("Hello")],
  }),
  cut: () => ({ items: [search, saying("Hello")], events: 6 }),
  flex: () => ({ items: [saying("Hello")], more: { service_tier: "flex" } }),
});

const RATES = "input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25";
const PREMIUM = `{ ${RATES}, cache_write_1h_per_million: 2, multipliers: { fast: 6, us: 1.1, flex: 0.5 }, tool_fees: { web_search: 0.01, web_fetch: 0 } }`;
const models = (upstream: string, names: readonly string[], price: string, suffix = ""): string =>
  names
    .map((name) => `  - { id: ${upstream}-${name}${suffix}, price: ${price}, routes: [{ upstream: ${upstream}, model: ${name} }] }\n`)
    .join("");
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: claude, dialect: anthropic, base_url: "${claude.baseUrl}", allow_private: true, credential: ${CREDENTIAL} }
  - { id: openai, dialect: openai, preset: openai, base_url: "${openai.baseUrl}", allow_private: true, credential: ${RESPONSES_CREDENTIAL} }
  - { id: echo, dialect: echo }
models:
${models("claude", Object.keys(USAGES), PREMIUM)}${models("claude", ["plain", "hour"], `{ ${RATES} }`, "-usual")}${models("openai", ["usual", "searched", "flex", "cut"], PREMIUM)}  - { id: claude-cached, cache: { ttl_seconds: 600, price_percent: 100 }, price: ${PREMIUM}, routes: [{ upstream: claude, model: searched }] }
  - { id: chat, price: ${PREMIUM}, routes: [{ upstream: echo, model: any }] }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await Promise.all([claude.stop(), openai.stop()]);
});

async function post(path: "messages" | "responses", body: Json, apiKey = key): Promise<Response> {
  const prompt =
    path === "messages"
      ? { max_tokens: 100, messages: [{ role: "user", content: "Hello!" }] }
      : { input: "Hello!", max_output_tokens: 100 };
  const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
  return fetch(`${gateway.baseUrl}/${path}`, { method: "POST", headers, body: JSON.stringify({ ...prompt, ...body }) });
}

/** The receipt of a reply that was read to its end. */
async function receiptOf(reply: Response): Promise<Record<string, unknown> & { readonly charged: string; readonly held: string }> {
  const body = await reply.text();
  expect([reply.status, body.includes(`"type":"error"`)]).toEqual([200, false]);
  return gateway.platform("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
}

const SYSTEM = [{ type: "text", text: "You are terse.", cache_control: { type: "ephemeral", ttl: "1h" } }];
const SEARCH = { type: "web_search_20260209", name: "web_search" };
const FETCH = { type: "web_fetch_20260209", name: "web_fetch", max_uses: 2 };

/** In millionths of a dollar: 10 at 1, 3 at 0.1, 20 at 1.25, 30 at 2, 7 at 2. */
const HOUR_COST = 10 + 0.3 + 25 + 60 + 14;
const FIVE_MINUTES_COST = 10 + 0.3 + 62.5 + 14;

describe.each([false, true])("on Messages, as a stream: %p,", (stream) => {
  const cases: readonly [string, string, Json, number][] = [
    ["cache writes for an hour have their own rate", "hour", { system: SYSTEM }, HOUR_COST],
    ["searches have a fee", "searched", { tools: [SEARCH, FETCH] }, FIVE_MINUTES_COST + 30_000],
    [
      "options multiply the rates, and not the fees",
      "fast",
      { speed: "fast", inference_geo: "us", system: SYSTEM, tools: [SEARCH] },
      HOUR_COST * 6.6 + 10_000,
    ],
    [
      "a compaction is charged, too",
      "compacted",
      { context_management: { edits: [{ type: "compact_20260112" }] } },
      FIVE_MINUTES_COST + 20 + 20,
    ],
  ];
  test.each(cases)("%s", async (_, name, body, micros) => {
    const receipt = await receiptOf(await post("messages", { model: `claude-${name}`, stream, ...body }));
    expect(Number(receipt.charged)).toBeCloseTo(micros / 1_000_000, 12);
    expect(Number(receipt.held)).toBeGreaterThanOrEqual(Number(receipt.charged));
  });
});

test("a receipt lists the fees, the multipliers and the rates with them", async () => {
  const body = { model: "claude-fast", speed: "fast", inference_geo: "us", system: SYSTEM, tools: [SEARCH] };
  const receipt = await receiptOf(await post("messages", body));
  expect(receipt).toMatchObject({
    multipliers: ["fast", "us"],
    tools: [{ tool: "web_search", calls: 1, fee: "0.01", cost: "0.01" }],
    lines: [
      { kind: "input", tokens: 10, per_million: 6.6 },
      { kind: "cached_input", tokens: 3 },
      { kind: "cache_write", tokens: 20 },
      { kind: "cache_write_1h", tokens: 30, per_million: 13.2 },
      { kind: "output", tokens: 7 },
    ],
  });
});

test("a tool without a limit gets one, which the hold pays for", async () => {
  await receiptOf(await post("messages", { model: "claude-searched", tools: [SEARCH, FETCH] }));
  expect(claude.last()).toMatchObject({
    tools: [
      { ...SEARCH, max_uses: 5 },
      { ...FETCH, max_content_tokens: 20_000 },
    ],
  });
});

test("more calls than the request allows are not charged", async () => {
  const receipt = await receiptOf(await post("messages", { model: "claude-searched-often", tools: [{ ...SEARCH, max_uses: 2 }] }));
  expect(receipt).toMatchObject({ provenance: "measured", tools: [{ calls: 2 }] });
});

test("the hold covers the fees: a credit that does not pay for them is not enough", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "small", name: "small" });
  await gateway.platform("POST", "/api/accounts/small/grants", { amount: "0.03", reference: "first", reason: "for tests" });
  const { key: small } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "small", account: "small", models: ["*"] });
  const body = { model: "claude-searched", tools: [SEARCH] };
  expect((await post("messages", body, small)).status).toBe(402);
  expect((await post("messages", { ...body, tools: [{ ...SEARCH, max_uses: 1 }] }, small)).status).toBe(402);
  expect((await post("messages", { model: "claude-plain" }, small)).status).toBe(200);
});

test("a cached response has the same fees", async () => {
  const body = { model: "claude-cached", tools: [SEARCH] };
  const receipts = [await receiptOf(await post("messages", body)), await receiptOf(await post("messages", body))];
  expect(receipts.map(({ upstream }) => upstream)).toEqual(["claude", "cache"]);
  expect(receipts[1]).toMatchObject({ charged: receipts[0]!.charged, tools: receipts[0]!["tools"], provenance: "measured" });
});

test("searches of a response that is cut are charged", async () => {
  const reply = await post("responses", { model: "openai-cut", stream: true, tools: [{ type: "web_search" }] });
  expect(await reply.text()).toContain("response.failed");
  const receipt = await gateway.platform<Json>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
  expect(receipt).toMatchObject({ provenance: "estimated", tools: [{ tool: "web_search", calls: 1 }] });
});

test("a model whose upstreams know no caching for an hour serves the request without", async () => {
  const reply = await post("messages", { model: "chat", system: SYSTEM });
  expect(reply.status).toBe(200);
});

test("names that every object has are not sold", async () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    expect((await post("messages", { model: "claude-plain", speed: name })).status).toBe(400);
    expect((await post("messages", { model: "claude-plain", tools: [{ type: name, name: "x" }] })).status).toBe(400);
    expect((await post("responses", { model: "openai-usual", service_tier: name })).status).toBe(400);
    expect((await post("responses", { model: "openai-usual", tools: [{ type: name, name: "x" }] })).status).toBe(400);
  }
});

test("options that the request has not asked for are not charged, and named to operators", async () => {
  const receipt = await receiptOf(await post("messages", { model: "claude-fast" }));
  expect(receipt).toMatchObject({ multipliers: [], tools: [], provenance: "measured" });
  expect(Number(receipt.charged)).toBeCloseTo(FIVE_MINUTES_COST / 1_000_000, 12);
});

test.each([
  [{ model: "claude-plain-usual", system: SYSTEM }, "system[0].cache_control.ttl"],
  [{ model: "claude-plain-usual", tools: [SEARCH] }, "tools[0]"],
  [{ model: "claude-plain-usual", speed: "fast" }, "speed"],
  [{ model: "claude-plain", tools: [{ type: "code_execution_20260120", name: "code_execution" }] }, "tools[0]"],
  [{ model: "claude-plain", speed: "turbo" }, "speed"],
  [{ model: "claude-plain", tools: [{ ...SEARCH, max_uses: 0 }] }, "tools[0].max_uses"],
  [
    {
      model: "claude-plain",
      messages: [
        { role: "user", content: "Hi" },
        { role: "system", content: [{ type: "tool_addition", tool: { type: "tool_definition", definition: SEARCH } }] },
      ],
    },
    "messages[1].content[0].tool.definition.max_uses",
  ],
])("%j has no price, and is rejected by name", async (body, param) => {
  const reply = await post("messages", body);
  expect(reply.status).toBe(400);
  expect(((await reply.json()) as { error: { message: string } }).error.message).toStartWith(param);
});

test("usage that no price has is counted and raises an alert with its name", async () => {
  await receiptOf(await post("messages", { model: "claude-unknown" }));
  await receiptOf(await post("messages", { model: "claude-hour-usual" }));
  const { data: alerts } = await eventually(
    () => gateway.platform<{ data: readonly Json[] }>("GET", "/api/alerts"),
    ({ data }) => data.some(({ type }) => type === "upstream.usage_unpriced"),
  );
  const { data } = alerts.find(({ type }) => type === "upstream.usage_unpriced") as { data: { upstream: string; fields: string[] } };
  expect([data.upstream, data.fields.includes("usage.search_units")]).toEqual(["claude", true]);
});

describe("on Responses", () => {
  test("web search is served where it has a fee, with a limit that the hold pays for", async () => {
    const reply = await post("responses", { model: "openai-searched", tools: [{ type: "web_search" }] });
    expect(reply.headers.get("x-tollgate-dropped")).toBeNull();
    // 10 fresh tokens at 1, 3 cached, 2 written, 7 of output, and one search; opening a page is free of charge.
    expect(Number((await receiptOf(reply)).charged)).toBeCloseTo((10 + 0.3 + 2.5 + 14 + 10_000) / 1_000_000, 12);
    expect(openai.last().body).toMatchObject({ tools: [{ type: "web_search" }], max_tool_calls: 5 });
  });

  test("web search that the credit does not pay for is not offered to the model", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "poor" });
    await gateway.platform("POST", "/api/accounts/poor/grants", { amount: "0.03", reference: "first", reason: "for tests" });
    const { key: poor } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models: ["*"] });
    const body = { model: "openai-usual", tools: [{ type: "web_search" }] };
    const reply = await post("responses", body, poor);
    expect([reply.status, reply.headers.get("x-tollgate-dropped"), openai.last().body["tools"]]).toEqual([200, "web_search", undefined]);
    expect((await post("responses", { ...body, tool_choice: { type: "web_search" } }, poor)).status).toBe(429);
  });

  test("the service tier of the reply decides the rates", async () => {
    for (const model of ["openai-flex", "openai-usual"]) {
      const receipt = await receiptOf(await post("responses", { model, service_tier: "flex" }));
      expect(Number(receipt.charged)).toBeCloseTo(((10 + 0.3 + 2.5 + 14) * (model === "openai-flex" ? 0.5 : 1)) / 1_000_000, 12);
    }
  });
});

test("the auditor computes all of it again", async () => {
  const audit = await gateway.platform<{ discrepancies: readonly unknown[] }>("GET", "/api/audit");
  expect(audit.discrepancies).toEqual([]);
});
