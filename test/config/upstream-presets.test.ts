import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askPlatform, type PlatformReply } from "../support/gateway/call-platform.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway.stop();
});

const ask = (method: string, path: string, body?: object): Promise<PlatformReply> => askPlatform(gateway, method, path, body);

/** The platform's error for a rejected body. */
function refusal({ status, body }: PlatformReply): unknown[] {
  return [status, body["param"], body["detail"] ?? body["message"]];
}

describe("an upstream", () => {
  test("needs no more than a preset and a credential", async () => {
    const made = await ask("POST", "/api/upstreams", { id: "groq", preset: "groq", credential: "gsk-0123456789-abcd" });
    expect(made).toMatchObject({
      status: 201,
      body: { preset: "groq", dialect: "openai", base_url: "https://api.groq.com/openai/v1", credentials: [{ last4: "abcd" }] },
    });
    const local = await ask("POST", "/api/upstreams", { id: "my-ollama", preset: "ollama" });
    expect(local.body).toMatchObject({ base_url: "http://127.0.0.1:11434/v1", allow_private: true, credentials: [] });
  });

  test("of a provider with customer-specific URLs needs a base URL", async () => {
    const refused = await ask("POST", "/api/upstreams", { id: "azure", preset: "azure", credential: "a" });
    const form = "https://{resource}.openai.azure.com/openai/v1";
    expect(refusal(refused)).toEqual([400, "base_url", `base_url is required with the preset azure: ${form}.`]);
    const unknown = await ask("POST", "/api/upstreams", { id: "x", base_url: "https://a.test" });
    expect(refusal(unknown)).toEqual([
      400,
      "dialect",
      "dialect is required without a preset: one of openai, responses, anthropic, gemini, bedrock, echo.",
    ]);
  });

  test("has several credentials, which can be replaced", async () => {
    const credentials = ["first-credential-aaaa", "second-credential-bbbb"];
    const made = await ask("POST", "/api/upstreams", { id: "many", preset: "mistral", credentials, concurrency: { max_calls: 3 } });
    expect(made.body).toMatchObject({
      credentials: [{ last4: "aaaa" }, { last4: "bbbb" }],
      concurrency: { max_calls: 3, max_queued: 1000, max_wait_ms: 5000 },
    });
    const changed = await ask("PATCH", "/api/upstreams/many", { concurrency: { max_queued: 0 } });
    expect(changed.body).toMatchObject({ credentials: [{}, {}], concurrency: { max_calls: 3, max_queued: 0 } });
    const replaced = await ask("PUT", "/api/upstreams/many/credential", { credentials: ["third-credential-cccc"] });
    expect(replaced.body).toMatchObject({ credentials: [{ last4: "cccc" }] });
    const twice = await ask("PUT", "/api/upstreams/many/credential", { credentials: ["a-credential", "a-credential"] });
    expect(refusal(twice)).toEqual([400, "credentials[1]", "credentials[1] is the same as one before it."]);
    expect((await ask("PUT", "/api/upstreams/many/credential", {})).status).toBe(400);
  });

  test("keeps no preset after a change of its base URL, unless it is declared", async () => {
    await ask("POST", "/api/upstreams", { id: "found", dialect: "openai", base_url: "https://api.x.ai/v1" });
    await ask("POST", "/api/upstreams", { id: "said", preset: "xai", base_url: "https://proxy.example/v1" });
    const base_url = "https://other.example/v1";
    expect((await ask("GET", "/api/upstreams/found")).body).toMatchObject({ preset: "xai" });
    expect((await ask("PATCH", "/api/upstreams/found", { base_url })).body).toMatchObject({ preset: null, base_url });
    expect((await ask("PATCH", "/api/upstreams/said", { base_url })).body).toMatchObject({ preset: "xai", base_url });
    const changed = await ask("PATCH", "/api/upstreams/said", { preset: "groq" });
    expect(changed.body).toMatchObject({ preset: "groq", base_url });
    expect(refusal(await ask("PATCH", "/api/upstreams/said", { preset: "gemini" }))).toEqual([
      400,
      "dialect",
      "dialect differs from the API format of the preset gemini, which speaks gemini.",
    ]);
  });
});

describe("a model", () => {
  const FULL = {
    routes: [
      { upstream: "echo", model: "a" },
      { upstream: "echo", model: "b", priority: 2, weight: 3, max_price: { input_per_million: 1.5 } },
    ],
    free: true,
    parameters: { logprobs: "drop", seed: { rename: "random_seed" } },
    timeouts: { total_ms: 5000, connect_ms: 100 },
    sticky: true,
    cache: { ttl_seconds: 60, price_percent: 10 },
  };

  test("shows its routing, timeout and cache settings", async () => {
    const made = await ask("POST", "/api/models", { id: "full", ...FULL });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      routes: [
        { upstream: "echo", model: "a", priority: 1, weight: 1, max_price: null, excluded: null },
        {
          upstream: "echo",
          model: "b",
          priority: 2,
          max_price: { input_per_million: 1.5, output_per_million: null },
          excluded: "price_unknown",
        },
      ],
      parameters: FULL.parameters,
      timeouts: FULL.timeouts,
      sticky: true,
      cache: FULL.cache,
    });
    const plain = await ask("POST", "/api/models", { id: "plain", routes: [{ upstream: "echo", model: "a" }], free: true });
    expect(plain.body).toMatchObject({ parameters: {}, timeouts: {}, sticky: null, cache: null });
  });

  test("keeps fields that a change omits, and null clears a field", async () => {
    await ask("POST", "/api/models", { id: "changed", ...FULL });
    const one = await ask("PATCH", "/api/models/changed", { timeouts: { connect_ms: null, first_byte_ms: 7, non_streamed_ms: 9 } });
    expect(one.body).toMatchObject({ parameters: FULL.parameters, sticky: true, cache: FULL.cache, routes: [{}, {}] });
    expect(one.body["timeouts"]).toEqual({ total_ms: 5000, first_byte_ms: 7, non_streamed_ms: 9 });
    const all = await ask("PATCH", "/api/models/changed", { parameters: null, timeouts: null, sticky: null, cache: null });
    expect(all.body).toMatchObject({ parameters: {}, timeouts: {}, sticky: null, cache: null });
    const log = await ask("GET", "/api/audit-log?kind=model&id=changed&limit=1");
    expect(log.body["data"]).toMatchObject([{ action: "model.update", before: { sticky: true, cache: FULL.cache } }]);
  });

  const refused: [object, string, string][] = [
    [{ routes: [] }, "routes", "routes must have at least 1 item"],
    [{ routes: [{ upstream: "echo", model: "a", priority: 0 }] }, "routes[0].priority", "routes[0].priority must be between 1 and 1000"],
    [{ routes: [{ upstream: "echo", model: "a", max_price: {} }] }, "routes[0].max_price", "routes[0].max_price names no price"],
    [
      { routes: [{ upstream: "echo", model: "a", cost: { input_per_million: 1 } }] },
      "routes[0].cost.output_per_million",
      "routes[0].cost.output_per_million is required",
    ],
    [
      { routes: [{ upstream: "echo", model: "a", cost: { input_per_million: 1, output_per_million: 0.1234567 } }] },
      "routes[0].cost.output_per_million",
      "routes[0].cost.output_per_million has more than six decimals",
    ],
    [{ parameters: { messages: "drop" } }, "parameters.messages", "parameters.messages is a required part of every request"],
    [
      { parameters: { seed: { rename: "model" } } },
      "parameters.seed.rename",
      "parameters.seed.rename names model, which is a required part of every request and cannot be listed as a parameter",
    ],
    [{ cache: { price_percent: 5 } }, "cache.ttl_seconds", "cache.ttl_seconds is required"],
    [{ cache: { ttl_seconds: 1, price_percent: 101 } }, "cache.price_percent", "cache.price_percent must be between 0 and 100"],
  ];
  test.each(refused)("with %j is rejected", async (more, param, message) => {
    const body = { id: "refused", routes: [{ upstream: "echo", model: "a" }], free: true, ...more };
    expect(refusal(await ask("POST", "/api/models", body))).toEqual([400, param, expect.stringContaining(message) as string]);
  });
});
