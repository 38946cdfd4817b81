import { afterAll, describe, expect, test } from "bun:test";
import { CREDENTIAL, startAnthropicServer, type Script as ClaudeScript } from "../dialects/anthropic-server.ts";
import { CREDENTIAL as BEDROCK_CREDENTIAL, startConverseServer } from "../dialects/converse-server.ts";
import { text as converseText } from "../dialects/converse-answers.ts";
import { blockEvents, message, messageDelta, START, STOP, text } from "../dialects/messages-answers.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import {
  chunk,
  completion,
  events,
  rawEvents,
  startMockUpstream,
  USAGE,
  usageChunk,
  type Script,
} from "../support/upstreams/mock-upstream.ts";

type Json = Readonly<Record<string, unknown>>;

/** Counts with a detail that the gateway does not read. */
const DETAILED = { ...USAGE, prompt_tokens_details: { ...USAGE.prompt_tokens_details, audio_tokens: 0 } };

/** A response at the service tier that the request asks for, or at this one. */
function atTier(reported?: string): Script {
  return ({ body }) => {
    const more = { service_tier: reported ?? body["service_tier"] ?? "default" };
    if (body["stream"] !== true) return Response.json(completion({}, { ...more, usage: DETAILED }));
    const chunks = [
      chunk({ role: "assistant", content: "" }, null, more),
      chunk({ content: "Hello" }, null, more),
      chunk({ content: " world" }, null, more),
      chunk({}, "stop", more),
      JSON.stringify({ ...(JSON.parse(usageChunk(DETAILED)) as Json), ...more }),
    ];
    return events(chunks);
  };
}

/** A stream that is cut before its token counts. */
const cut: Script = () => {
  const more = { service_tier: "priority" };
  const chunks = [chunk({ role: "assistant", content: "" }, null, more), chunk({ content: "Hello world, hello!!" }, null, more)];
  return rawEvents(chunks.map((each) => `data: ${each}\n\n`).join(""));
};

/** A response without token counts. */
const uncounted: Script = () =>
  Response.json(completion({ content: "Hello world, hello!!" }, { service_tier: "priority", usage: undefined }));

const failing: Script = () => Response.json({ error: { message: "down" } }, { status: 500 });

const provider = startMockUpstream({
  asked: atTier(),
  default: atTier("default"),
  priority: atTier("priority"),
  cut,
  uncounted,
  failing,
});

/** What the double of Anthropic has used, and bills. */
const COUNTS = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 50, output_tokens: 7 };
const HOUR = { ...COUNTS, cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 } };

function claudeScript(usage: Json): ClaudeScript {
  return ({ stream }) => {
    if (stream !== true) return Response.json(message([text("Hello")], "end_turn", { usage }));
    const start = { ...START, message: { ...START.message, usage: { ...usage, output_tokens: 1 } } };
    return [start, ...blockEvents(text("Hello"), 0), messageDelta("end_turn", usage), STOP];
  };
}

const claude = startAnthropicServer({ hour: claudeScript(HOUR), tier: claudeScript({ ...COUNTS, service_tier: "priority" }) });

const CONVERSE_USAGE = {
  inputTokens: 10,
  cacheReadInputTokens: 3,
  cacheWriteInputTokens: 50,
  outputTokens: 7,
  totalTokens: 70,
  cacheDetails: [
    { ttl: "1h", inputTokens: 30 },
    { ttl: "5m", inputTokens: 20 },
  ],
};
const plainConverse = { content: [converseText("Hello")] };
const SONNET_4_5 = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const SONNET_4 = "anthropic.claude-sonnet-4-20250514-v1:0";
const bedrock = startConverseServer({ [SONNET_4_5]: () => ({ ...plainConverse, usage: CONVERSE_USAGE }), [SONNET_4]: () => plainConverse });

const RATES = "input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25";
const TIERS = `{ ${RATES}, cache_write_1h_per_million: 2, multipliers: { priority: 2, flex: 0.5, lowspeed: 1 } }`;
const OPTIONS = `{ ${RATES}, multipliers: { fast: 6 } }`;
const USUAL = `{ ${RATES} }`;

const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: openai, dialect: openai, preset: openai, base_url: "${provider.baseUrl}", allow_private: true, credential: c }
  - { id: other, dialect: openai, base_url: "${provider.baseUrl}", allow_private: true, credential: c }
  - { id: mistral, dialect: openai, preset: mistral, base_url: "${provider.baseUrl}", allow_private: true, credential: c }
  - { id: claude, dialect: anthropic, base_url: "${claude.baseUrl}", allow_private: true, credential: ${CREDENTIAL} }
  - { id: bedrock, dialect: bedrock, base_url: "${bedrock.baseUrl}", allow_private: true, credential: ${BEDROCK_CREDENTIAL} }
models:
  - { id: asked, price: ${TIERS}, routes: [{ upstream: openai, model: asked }] }
  - { id: default, price: ${TIERS}, routes: [{ upstream: openai, model: default }] }
  - { id: unasked, price: ${TIERS}, routes: [{ upstream: other, model: priority }] }
  - { id: cut, price: ${TIERS}, routes: [{ upstream: openai, model: cut }] }
  - { id: uncounted, price: ${TIERS}, routes: [{ upstream: openai, model: uncounted }] }
  - { id: usual, price: ${USUAL}, routes: [{ upstream: openai, model: asked }] }
  - { id: passed, price: ${USUAL}, parameters: { service_tier: pass }, routes: [{ upstream: openai, model: asked }] }
  - { id: dropped, price: ${TIERS}, parameters: { service_tier: drop }, routes: [{ upstream: openai, model: priority }] }
  - { id: refused, price: ${TIERS}, parameters: { service_tier: refuse }, routes: [{ upstream: openai, model: asked }] }
  - { id: mistral, price: ${TIERS}, routes: [{ upstream: mistral, model: priority }] }
  - { id: mixed, price: ${TIERS}, routes: [{ upstream: openai, model: failing, priority: 1 }, { upstream: mistral, model: priority, priority: 2 }] }
  - { id: defaulted, price: ${TIERS}, parameters: { service_tier: pass }, routes: [{ upstream: openai, model: asked, defaults: { service_tier: priority } }] }
  - { id: falls-back, price: ${TIERS}, fallback_models: [usual, asked], routes: [{ upstream: openai, model: failing }] }
  - { id: cached, cache: { ttl_seconds: 600, price_percent: 100 }, price: ${TIERS}, routes: [{ upstream: openai, model: asked }] }
  - { id: cached-unasked, cache: { ttl_seconds: 600, price_percent: 100 }, price: ${TIERS}, routes: [{ upstream: openai, model: priority }] }
  - { id: claude-hour, price: ${TIERS}, routes: [{ upstream: claude, model: hour }] }
  - { id: claude-usual, price: ${USUAL}, routes: [{ upstream: claude, model: hour }] }
  - { id: claude-options, price: ${OPTIONS}, routes: [{ upstream: claude, model: hour }] }
  - { id: claude-tier, price: ${TIERS}, routes: [{ upstream: claude, model: tier }] }
  - { id: claude-after-openai, price: ${TIERS}, routes: [{ upstream: openai, model: failing, priority: 1 }, { upstream: claude, model: tier, priority: 2 }] }
  - { id: bedrock-hour, price: ${TIERS}, routes: [{ upstream: bedrock, model: "${SONNET_4_5}" }] }
  - { id: bedrock-usual, price: ${USUAL}, routes: [{ upstream: bedrock, model: "${SONNET_4_5}" }] }
  - { id: bedrock-mixed, price: ${TIERS}, routes: [{ upstream: bedrock, model: "${SONNET_4}", priority: 1 }, { upstream: bedrock, model: "${SONNET_4_5}", priority: 2 }] }
  - { id: bedrock-old, price: ${TIERS}, routes: [{ upstream: bedrock, model: "${SONNET_4}" }] }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await Promise.all([provider.stop(), claude.stop(), bedrock.stop()]);
});

async function post(body: Json, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const prompt = { max_tokens: 100, messages: [{ role: "user", content: "Hello!" }] };
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: JSON.stringify({ ...prompt, ...body }),
  });
}

interface Receipt extends Record<string, unknown> {
  readonly charged: string;
  readonly held: string;
}

async function receiptOf(reply: Response): Promise<Receipt> {
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
  return gateway.platform("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
}

async function chargeOf(body: Json): Promise<number> {
  const receipt = await receiptOf(await post(body));
  expect(Number(receipt.held)).toBeGreaterThanOrEqual(Number(receipt.charged));
  return inMicros(receipt.charged);
}

/** In millionths of a dollar, to a thousandth of one. */
function inMicros(dollars: string): number {
  return Math.round(Number(dollars) * 1_000_000_000) / 1000;
}

/** The names of the uses without a price that an alert has named to operators. */
async function unpricedAt(upstream: string, field: string): Promise<readonly string[]> {
  const named = async (): Promise<readonly string[]> => {
    const { data } = await gateway.platform<{ data: { type: string; data: { upstream: string; fields: string[] } }[] }>(
      "GET",
      "/api/alerts",
    );
    return data.flatMap((alert) => (alert.type === "upstream.usage_unpriced" && alert.data.upstream === upstream ? alert.data.fields : []));
  };
  return eventually(named, (fields) => fields.includes(field));
}

/** In millionths of a dollar: 4 tokens at 1, 1 cached at 0.1, 2 of output at 2. */
const USUAL_COST = 4 + 0.1 + 4;

describe.each([false, true])("a service tier, as a stream: %p,", (stream) => {
  test.each([
    ["flex", 0.5],
    ["priority", 2],
  ])("%s is sent to the upstream and charged at its rates", async (tier, factor) => {
    const receipt = await receiptOf(await post({ model: "asked", stream, service_tier: tier }));
    expect(inMicros(receipt.charged)).toBeCloseTo(USUAL_COST * factor, 6);
    expect(receipt).toMatchObject({ multipliers: [tier], provenance: "measured" });
    expect(provider.last().body["service_tier"]).toBe(tier);
  });

  test("is not charged if the upstream has served the request at the usual rates", async () => {
    expect(await chargeOf({ model: "default", stream, service_tier: "priority" })).toBeCloseTo(USUAL_COST, 6);
  });

  test("is not charged if the request has asked for another one, which operators are told of", async () => {
    const receipt = await receiptOf(await post({ model: "unasked", stream, service_tier: "flex" }));
    expect(inMicros(receipt.charged)).toBeCloseTo(USUAL_COST, 6);
    expect(receipt).toMatchObject({ multipliers: [], provenance: "measured" });
    expect(await unpricedAt("other", "priority")).toContain("priority");
  });

  test("is not charged if the request has asked for none", async () => {
    expect(await chargeOf({ model: "unasked", stream })).toBeCloseTo(USUAL_COST, 6);
  });

  test("that no price has is passed by a model's policy, at the usual rates", async () => {
    expect(await chargeOf({ model: "passed", stream, service_tier: "priority" })).toBeCloseTo(USUAL_COST, 6);
    expect(provider.last().body["service_tier"]).toBe("priority");
    expect(await unpricedAt("openai", "priority")).toContain("priority");
  });

  test("is in a cached response, too", async () => {
    for (const model of ["cached", "cached-unasked"]) {
      const tier = model === "cached" ? { service_tier: "priority" } : {};
      const receipts = [await receiptOf(await post({ model, stream, ...tier })), await receiptOf(await post({ model, stream, ...tier }))];
      expect(receipts.map(({ upstream }) => upstream)).toEqual(["openai", "cache"]);
      const cost = USUAL_COST * (model === "cached" ? 2 : 1);
      for (const { charged } of receipts) expect(inMicros(charged)).toBeCloseTo(cost, 6);
    }
  });
});

test("a reply keeps the upstream's own counts if its tier is not charged", async () => {
  const reply = (await (await post({ model: "unasked" })).json()) as Json;
  expect(reply).toMatchObject({ service_tier: "priority", usage: DETAILED });
  const stream = await (await post({ model: "unasked", stream: true, stream_options: { include_usage: true } })).text();
  const last = JSON.parse(stream.trimEnd().split("\n\n").at(-2)!.slice("data: ".length)) as Json;
  expect(last).toMatchObject({ service_tier: "priority", usage: DETAILED });
});

test.each([
  ["usual", "flex"],
  ["asked", "scale"],
  ["asked", "constructor"],
  ["asked", "__proto__"],
  ["refused", "flex"],
])("%s has no price for %s, and the request is rejected", async (model, tier) => {
  const reply = await post({ model, service_tier: tier });
  const { error } = (await reply.json()) as { error: Json };
  expect([reply.status, error["code"], error["param"], error["message"]]).toEqual([
    400,
    "unsupported_parameter",
    "service_tier",
    "service_tier is not supported by this model.",
  ]);
});

test("the default tiers are dropped without notice", async () => {
  for (const tier of ["auto", "default", null]) {
    const reply = await post({ model: "asked", service_tier: tier });
    expect([reply.status, reply.headers.get("x-tollgate-dropped")]).toEqual([200, null]);
  }
});

test("the hold covers the highest rates", async () => {
  const held = async (tier: string): Promise<number> =>
    inMicros((await receiptOf(await post({ model: "default", service_tier: tier }))).held);
  expect(await held("priority")).toBeCloseTo((await held("lowspeed")) * 2, 6);
  // The provider may serve a request for a cheaper tier at the usual rates.
  expect(await held("flex")).toBeGreaterThan((await held("lowspeed")) - 10);
});

test("a dry run has the hold of the tier, and the routes that serve it", async () => {
  const explain = async (model: string, tier: string, more: Readonly<Record<string, string>> = {}): Promise<Json> =>
    (await (await post({ model, service_tier: tier }, { "x-dry-run": "1", ...more })).json()) as Json;
  const [priority, lowspeed] = [await explain("asked", "priority"), await explain("asked", "lowspeed")];
  expect(Number(priority["hold"])).toBeCloseTo(Number(lowspeed["hold"]) * 2, 9);
  expect(priority).toMatchObject({ status: 200, dropped: [], routes: [{ upstream: "openai", refused: [] }] });
  expect(await explain("usual", "priority")).toMatchObject({ status: 400, routes: [{ upstream: "openai", refused: ["service_tier"] }] });
  const tooExpensive = await explain("asked", "priority", { "x-max-cost": "0.000001" });
  expect(tooExpensive).toMatchObject({ status: 402, hold: priority["hold"], routes: [{ upstream: "openai", refused: [] }] });
  const mixed = {
    routes: [
      { upstream: "openai", dropped: [] },
      { upstream: "mistral", dropped: ["service_tier"] },
    ],
  };
  expect(await explain("mixed", "priority")).toMatchObject(mixed);
});

describe("a route that does not send the tier is charged at the usual rates", () => {
  test.each(["mistral", "dropped", "mixed"])("%s", async (model) => {
    const reply = await post({ model, service_tier: "priority" });
    expect(reply.headers.get("x-tollgate-dropped")).toBe("service_tier");
    const receipt = await receiptOf(reply);
    expect([inMicros(receipt.charged), receipt["multipliers"]]).toEqual([USUAL_COST, []]);
    expect(provider.last().body).not.toHaveProperty("service_tier");
  });

  test.each(["claude-tier", "claude-after-openai"])("%s", async (model) => {
    const reply = await post({ model, service_tier: "priority" });
    expect(reply.headers.get("x-tollgate-dropped")).toBe("service_tier");
    expect(await receiptOf(reply)).toMatchObject({ multipliers: [] });
  });

  test("and the hold of a model without another route does not cover the tier", async () => {
    const held = async (tier: string): Promise<string> => (await receiptOf(await post({ model: "mistral", service_tier: tier }))).held;
    expect(await held("priority")).toBe(await held("lowspeed"));
  });
});

test("a tier among the defaults of a route is not charged", async () => {
  expect(await chargeOf({ model: "defaulted" })).toBeCloseTo(USUAL_COST, 6);
  expect(provider.last().body["service_tier"]).toBe("priority");
  expect(await chargeOf({ model: "defaulted", service_tier: "flex" })).toBeCloseTo(USUAL_COST * 0.5, 6);
});

test("a fallback without a price for the tier does not serve the request", async () => {
  const reply = await post({ model: "falls-back", service_tier: "priority" });
  expect(reply.headers.get("x-tollgate-model")).toBe("asked");
  expect(inMicros((await receiptOf(reply)).charged)).toBeCloseTo(USUAL_COST * 2, 6);
});

test("a response without token counts is charged by its tier, whole or cut", async () => {
  // 20 bytes of text are 5 tokens.
  const whole = await receiptOf(await post({ model: "uncounted", service_tier: "priority" }));
  expect(whole).toMatchObject({ provenance: "estimated", multipliers: ["priority"] });
  const reply = await post({ model: "cut", stream: true, service_tier: "priority" });
  expect(await reply.text()).toContain("error");
  const receipt = await gateway.platform<Json>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
  expect(receipt).toMatchObject({
    provenance: "estimated",
    multipliers: ["priority"],
    lines: [{ kind: "output", tokens: 5, per_million: 4 }],
  });
});

const BREAKPOINT = { type: "ephemeral", ttl: "1h" };
const CACHED = [
  { role: "system", content: [{ type: "text", text: "You are terse.", cache_control: BREAKPOINT }] },
  { role: "user", content: "Hello!", cache_control: { type: "ephemeral", ttl: "5m" } },
];
const WITHOUT_TTL = { cache_control: { type: "ephemeral" } };

/** In millionths of a dollar: 10 at 1, 3 at 0.1, 20 at 1.25, 30 at 2, 7 at 2. */
const HOUR_COST = 10 + 0.3 + 25 + 60 + 14;
const FIVE_MINUTES_COST = 10 + 0.3 + 62.5 + 14;

describe.each([false, true])("a prompt cached for an hour, as a stream: %p,", (stream) => {
  test("has its own rate at Anthropic", async () => {
    const body = { model: "claude-hour", stream, messages: CACHED, cache_control: BREAKPOINT };
    expect(await chargeOf(body)).toBeCloseTo(HOUR_COST, 6);
    expect(claude.last()).toMatchObject({ system: [{ cache_control: BREAKPOINT }], cache_control: BREAKPOINT });
    expect(claude.last()["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Hello!", ...WITHOUT_TTL }] }]);
  });

  test("has its own rate at Bedrock", async () => {
    expect(await chargeOf({ model: "bedrock-hour", stream, messages: CACHED })).toBeCloseTo(HOUR_COST, 6);
    expect(bedrock.last()["system"]).toEqual([{ text: "You are terse." }, { cachePoint: { type: "default", ttl: "1h" } }]);
    expect(bedrock.last()["messages"]).toEqual([{ role: "user", content: [{ text: "Hello!" }, { cachePoint: { type: "default" } }] }]);
  });

  test("is cached for five minutes if the price has no rate for an hour", async () => {
    for (const model of ["claude-usual", "claude-options"]) {
      expect(await chargeOf({ model, stream, messages: CACHED })).toBeCloseTo(FIVE_MINUTES_COST, 6);
      expect(claude.last()).toMatchObject({ system: [{ type: "text", text: "You are terse.", ...WITHOUT_TTL }] });
      expect(JSON.stringify(claude.last())).not.toContain("ttl");
    }
    await chargeOf({ model: "bedrock-usual", stream, messages: CACHED });
    expect(JSON.stringify(bedrock.last())).not.toContain("ttl");
  });
});

test("the ttl of a tool is kept, too", async () => {
  const fn = { name: "look", parameters: { type: "object", properties: {} } };
  for (const tool of [
    { type: "function", function: fn, cache_control: BREAKPOINT },
    { type: "function", function: { ...fn, cache_control: BREAKPOINT } },
  ]) {
    expect(await chargeOf({ model: "claude-hour", tools: [tool] })).toBeCloseTo(HOUR_COST, 6);
    expect(claude.last()).toMatchObject({ tools: [{ cache_control: BREAKPOINT }] });
    await chargeOf({ model: "bedrock-hour", tools: [tool] });
    expect(bedrock.last()).toMatchObject({ toolConfig: { tools: [{}, { cachePoint: { ttl: "1h" } }] } });
  }
});

test("upstreams without a cache for an hour do not receive the ttl", async () => {
  for (const model of ["bedrock-old", "bedrock-mixed"]) {
    await chargeOf({ model, messages: CACHED });
    expect(JSON.stringify(bedrock.last())).not.toContain("ttl");
  }
  await chargeOf({ model: "asked", messages: CACHED });
  expect(provider.last().text).not.toContain("ttl");
});

test("writes for an hour that the request has not asked for are charged as others", async () => {
  const messages = [{ role: "user", content: "Hello!", cache_control: { type: "ephemeral" } }];
  expect(await chargeOf({ model: "claude-hour", messages })).toBeCloseTo(FIVE_MINUTES_COST, 6);
  expect(await unpricedAt("claude", "cache_write_1h")).toContain("cache_write_1h");
});

test("the hold covers a prompt that is written for an hour", async () => {
  const held = async (ttl: string): Promise<number> => {
    const messages = [{ role: "user", content: [{ type: "text", text: "x".repeat(10_000), cache_control: { type: "ephemeral", ttl } }] }];
    return inMicros((await receiptOf(await post({ model: "claude-hour", messages }))).held);
  };
  const [anHour, fiveMinutes] = [await held("1h"), await held("5m")];
  expect(anHour - fiveMinutes).toBeGreaterThan(10_000 * 0.75);
});

test("the auditor computes all of it again", async () => {
  const audit = await gateway.platform<{ discrepancies: readonly unknown[] }>("GET", "/api/audit");
  expect(audit.discrepancies).toEqual([]);
});
