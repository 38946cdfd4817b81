import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { askPlatform, type PlatformReply } from "../support/gateway/call-platform.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A provider whose list of models changes. It fails while `listed` is undefined. */
let listed: unknown[] | undefined = [{ id: "gpt-a" }, { id: "gpt-b" }, { id: "gpt-d" }, { id: "text-embedding-1" }];
const called: string[] = [];
const provider = Bun.serve({
  port: 0,
  async fetch(request) {
    if (new URL(request.url).pathname.endsWith("/models")) {
      return listed ? Response.json({ object: "list", data: listed }) : new Response("broken", { status: 500 });
    }
    const { model } = (await request.json()) as { model: string };
    called.push(model);
    return Response.json(completion());
  },
});

const at = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
const PRICE = { input_per_million: 1, output_per_million: 2 };

let gateway: RunningGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ key } = await gateway.makeKey(["acme/*"]));
  await gateway.platform("POST", "/api/upstreams", { id: "acme", dialect: "openai", base_url: at("/v1"), allow_private: true });
  await gateway.platform("POST", "/api/models", { id: "acme/*", routes: [{ upstream: "acme", model: "*" }], price: PRICE });
  await gateway.platform("POST", "/api/models", { id: "acme/gpt-b", routes: [{ upstream: "acme", model: "the-other-b" }], free: true });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop(true);
});

async function listedIds(): Promise<string[]> {
  const reply = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
  return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id).toSorted();
}

async function call(model: string): Promise<number> {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }], max_tokens: 5 });
  return (await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers: { authorization: `Bearer ${key}` }, body })).status;
}

function ask(method: string, path: string, body?: object): Promise<PlatformReply> {
  return askPlatform(gateway, method, path, body);
}

test("exactly the listed chat models that have a price can be called, each under its own name; a declared model has precedence", async () => {
  await eventually(listedIds, (ids) => ids.length === 3);
  expect(await listedIds()).toEqual(["acme/gpt-a", "acme/gpt-b", "acme/gpt-d"]);
  expect(await Promise.all(["acme/gpt-a", "acme/gpt-b", "acme/*", "acme/text-embedding-1", "acme/none"].map(call))).toEqual([
    200, 200, 403, 403, 403,
  ]);
  expect(called.toSorted()).toEqual(["gpt-a", "the-other-b"]);
  // A range that ends now would exclude a request that ended in this millisecond.
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const usage = await gateway.platform<{ data: object[] }>("GET", `/api/usage?by=model&to=${to}`);
  expect(usage.data).toContainEqual(expect.objectContaining({ model: "acme/gpt-a" }));
});

test("a wildcard of the kind embedding stands for the embedding models, which need no output price", async () => {
  const price = { input_per_million: 1 };
  await gateway.platform("POST", "/api/models", { id: "vec/*", kind: "embedding", routes: [{ upstream: "acme", model: "*" }], price });
  expect(await gateway.platform<object>("GET", "/api/models/vec%2F*")).toMatchObject({
    kind: "embedding",
    expands_to: ["vec/text-embedding-1"],
  });
  expect(await gateway.platform<object>("GET", "/api/models/vec%2Ftext-embedding-1")).toMatchObject({ kind: "embedding" });
  expect((await ask("DELETE", "/api/models/vec%2F*")).status).toBe(200);
});

test("operators see the wildcard model and what it stands for, which cannot be changed on its own", async () => {
  expect(await gateway.platform<object>("GET", "/api/models/acme%2F*")).toMatchObject({
    expands_to: ["acme/gpt-a", "acme/gpt-d"],
    expanded_from: null,
    managed_by: "operator",
  });
  expect(await gateway.platform<object>("GET", "/api/models/acme%2Fgpt-a")).toMatchObject({
    expanded_from: "acme/*",
    expands_to: null,
    managed_by: "wildcard",
    price: { input_per_million: 1 },
  });
  const change = await ask("PATCH", "/api/models/acme%2Fgpt-a", { context_window: 5 });
  expect([change.status, change.body["code"]]).toEqual([409, "managed_elsewhere"]);
  expect(change.body["detail"]).toContain("acme/*");
  const report = await ask("GET", "/api/models/acme%2F*/mirror");
  expect([report.status, report.body["code"]]).toEqual([400, "invalid_value"]);
  const created = await ask("POST", "/api/models", {
    id: "acme/gpt-d",
    routes: [{ upstream: "acme", model: "gpt-d" }],
    free: true,
  });
  expect([created.status, created.body["managed_by"]]).toEqual([201, "operator"]);
  expect((await ask("DELETE", "/api/models/acme%2Fgpt-d")).status).toBe(200);
  expect(await listedIds()).toEqual(["acme/gpt-a", "acme/gpt-b", "acme/gpt-d"]);
});

test("a * in the wrong place is refused, and the error names it", async () => {
  for (const [id, model, param] of [
    ["a*b", "*", "id"],
    ["b/*", "gpt", "routes[0].model"],
    ["b/*", "*-*", "routes[0].model"],
    ["plain", "*", "routes[0].model"],
  ]) {
    const { status, body } = await ask("POST", "/api/models", { id, routes: [{ upstream: "acme", model }], free: true });
    expect([status, body["param"]]).toEqual([400, param!]);
  }
});

test("models that the provider removes vanish, hostile names are left out, and a failing provider changes nothing, even after a restart", async () => {
  listed = [{ id: "gpt-c" }, { id: "bad name" }, { id: "*" }, { id: "a\nb" }, { id: "x".repeat(500) }, { id: ".." }, 7, null];
  // After the base URL was changed, its models are listed at once.
  await gateway.platform("PATCH", "/api/upstreams/acme", { base_url: at("/new/v1") });
  await eventually(listedIds, (ids) => ids.includes("acme/gpt-c"));
  expect(await listedIds()).toEqual(["acme/gpt-b", "acme/gpt-c"]);
  expect(await call("acme/gpt-a")).toBe(403);
  listed = undefined;
  await gateway.end();
  gateway = await startGateway({ folder: gateway.folder });
  expect(await listedIds()).toEqual(["acme/gpt-b", "acme/gpt-c"]);
});
