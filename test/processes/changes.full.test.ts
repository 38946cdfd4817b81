import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { gatewayPids, PROCESSES, startProcesses } from "../support/gateway/gateway-processes.ts";
import { ProcessClient, type ProcessReply } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";

const PRICE = { input_per_million: 1, output_per_million: 2 };

let upstream: MockUpstream;
let other: MockUpstream;
let gateway: RunningGateway;
let pids: number[];
let clients: ProcessClient[];

beforeAll(async () => {
  upstream = startMockUpstream({ "up-good": () => Response.json(completion()), "up-new": () => Response.json(completion()) });
  other = startMockUpstream({ "up-good": () => Response.json(completion({ content: "from the other" })) });
  const yaml = configFor(upstream.baseUrl, ["good"]);
  gateway = await startProcesses({ yaml });
  pids = await gatewayPids(gateway);
  clients = await ProcessClient.connectToEach(gateway, pids);
});

afterAll(async () => {
  for (const client of clients ?? []) client.close();
  await gateway?.stop();
  await upstream.stop();
  await other.stop();
});

afterEach(() => expect(pids).toHaveLength(PROCESSES));

/** The current reply of each process. */
function askEach(key: string, body = chatBody("good", { max_tokens: 10 })): Promise<ProcessReply[]> {
  return Promise.all(clients.map((client) => client.post(key, body)));
}

async function statuses(key: string, body?: string): Promise<string[]> {
  return (await askEach(key, body)).map(({ status, code }) => `${status} ${code ?? ""}`.trim());
}

const each = (outcome: string): string[] => Array.from({ length: PROCESSES }, () => outcome);

test("a key works in every process as soon as it is created, and in none as soon as it is revoked", async () => {
  for (let time = 0; time < 10; time++) {
    const { id, key } = await gateway.makeKey();
    expect(await statuses(key)).toEqual(each("200"));
    await gateway.platform("DELETE", `/api/keys/${id}`);
    expect(await statuses(key)).toEqual(each("401 invalid_api_key"));
  }
});

test("a key is rejected by every process as soon as it is paused, its account is archived or it is removed, and by none when it is back", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "shelf", name: "Shelf" });
  await gateway.platform("POST", "/api/accounts/shelf/grants", { amount: "1", reference: "grant", reason: "for tests" });
  const made = { name: "paused", models: ["*"], account: "shelf" };
  const { id, key } = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", made);
  for (const [path, field] of [
    [`/api/keys/${id}`, "paused"],
    ["/api/accounts/shelf", "archived"],
  ] as const) {
    expect(await statuses(key)).toEqual(each("200"));
    await gateway.platform("PATCH", path, { [field]: true });
    expect(await statuses(key)).toEqual(each("401 api_key_paused"));
    await gateway.platform("PATCH", path, { [field]: false });
  }
  expect(await statuses(key)).toEqual(each("200"));
  const unused = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", made);
  await gateway.platform("PATCH", `/api/keys/${unused.id}`, { paused: true });
  await gateway.platform("DELETE", `/api/keys/${unused.id}/record`);
  expect(await statuses(unused.key)).toEqual(each("401 invalid_api_key"));
});

test("a key without credit is refused by every process, and works in all as soon as credit is granted", async () => {
  for (let time = 0; time < 5; time++) {
    const id = `poor-${time}`;
    await gateway.platform("POST", "/api/accounts", { id, name: id });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: id, models: ["*"], account: id });
    expect(await statuses(key)).toEqual(each("402 insufficient_credits"));
    await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: "1", reference: "grant", reason: "for tests" });
    expect(await statuses(key)).toEqual(each("200"));
  }
});

test("an adjustment takes back credit that processes have leased", async () => {
  await gateway.platform("POST", "/api/accounts", { id: "adjusted", name: "adjusted" });
  await gateway.platform("POST", "/api/accounts/adjusted/grants", { amount: "1", reference: "grant", reason: "for tests" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "adjusted", models: ["*"], account: "adjusted" });
  expect(await statuses(key)).toEqual(each("200"));
  await gateway.platform("POST", "/api/accounts/adjusted/adjustments", { amount: "-1", reference: "adjustment", reason: "for tests" });
  expect(await statuses(key)).toEqual(each("402 insufficient_credits"));
});

test("a rate limit holds in every process as soon as it is changed", async () => {
  const { id, key } = await gateway.makeKey(["*"], { limits: { requests_per_minute: 1000 } });
  expect(await statuses(key)).toEqual(each("200"));
  await gateway.platform("PATCH", `/api/keys/${id}`, { limits: { requests_per_minute: 1 } });
  expect(await statuses(key)).toEqual(each("429 rate_limit_exceeded"));
  await gateway.platform("PATCH", `/api/keys/${id}`, { limits: { requests_per_minute: 1000 } });
  expect(await statuses(key)).toEqual(each("200"));
});

test("a spend cap holds in every process as soon as it is lowered, though each has a lease", async () => {
  const { id, key } = await gateway.makeKey(["*"], { caps: { total: "100" } });
  expect(await statuses(key)).toEqual(each("200"));
  await gateway.platform("PATCH", `/api/keys/${id}`, { caps: { total: "0.000000001" } });
  expect(await statuses(key)).toEqual(each("402 budget_exceeded"));
  await gateway.platform("PATCH", `/api/keys/${id}`, { caps: { total: "100" } });
  expect(await statuses(key)).toEqual(each("200"));
});

test("a model is served by every process as soon as it is created, and by none as soon as the key may not call it", async () => {
  for (let time = 0; time < 3; time++) {
    const { id: keyId, key } = await gateway.makeKey();
    const id = `new-${time}`;
    const body = chatBody(id, { max_tokens: 10 });
    expect(await statuses(key, body)).toEqual(each("403 model_not_allowed"));
    await gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "mock", model: "up-new" }], price: PRICE });
    expect(await statuses(key, body)).toEqual(each("200"));
    await gateway.platform("PATCH", `/api/keys/${keyId}`, { models: ["good"] });
    expect(await statuses(key, body)).toEqual(each("403 model_not_allowed"));
  }
});

test("an endpoint is served by every process as soon as it is turned on, and by none as soon as it is off", async () => {
  const { key } = await gateway.makeKey();
  // The body of Cursor's agent mode, which chat completions take while the Responses API is on.
  const body = JSON.stringify({ model: "good", max_tokens: 10, input: "Hello" });
  expect(await statuses(key, body)).toEqual(each("400 missing_required_parameter"));
  await gateway.platform("PATCH", "/api/endpoints/responses", { enabled: true });
  expect(await statuses(key, body)).toEqual(each("200"));
  await gateway.platform("PATCH", "/api/endpoints/responses", { enabled: false });
  expect(await statuses(key, body)).toEqual(each("400 missing_required_parameter"));
});

test("an upstream is called at its new address by every process as soon as it is changed", async () => {
  const { key } = await gateway.makeKey();
  await gateway.platform("POST", "/api/upstreams", {
    id: "moving",
    dialect: "openai",
    base_url: upstream.baseUrl,
    allow_private: true,
    credential: "canary",
  });
  await gateway.platform("POST", "/api/models", { id: "moved", routes: [{ upstream: "moving", model: "up-good" }], price: PRICE });
  const body = chatBody("moved", { max_tokens: 10 });
  for (const from of [upstream, other, upstream]) {
    await gateway.platform("PATCH", "/api/upstreams/moving", { base_url: from.baseUrl, credential: "canary" });
    const replies = await askEach(key, body);
    expect(replies.map(({ text }) => text.includes("from the other"))).toEqual(pids.map(() => from === other));
  }
});
