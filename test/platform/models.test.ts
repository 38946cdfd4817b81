import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askPlatform, type PlatformReply } from "../support/gateway/call-platform.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let mock: MockUpstream;
/** Without a config file: the catalog comes from the environment. */
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream({ any: () => Response.json(completion()) });
  gateway = await startGateway();
  key = gateway.firstKey!;
  await ask("POST", "/api/upstreams", { id: "up", dialect: "openai", base_url: mock.baseUrl, allow_private: true });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

const ask = (method: string, path: string, body?: object): Promise<PlatformReply> => askPlatform(gateway, method, path, body);

const ROUTES = [{ upstream: "up", model: "any" }];
const PRICE = { input_per_million: 1, output_per_million: 2 };

const make = (id: string, more: object = { free: true }): Promise<PlatformReply> =>
  ask("POST", "/api/models", { id, routes: ROUTES, ...more });

function outcome({ status, body }: PlatformReply): unknown[] {
  return status < 300 ? [status] : [status, body["code"], body["param"]];
}

async function call(model: string): Promise<{ status: number; cost: string | null; version: string | null; requestId: string }> {
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
  await reply.text();
  const [cost, version, requestId] = ["x-tollgate-cost", "x-tollgate-price-version", "x-request-id"].map((name) => reply.headers.get(name));
  return { status: reply.status, cost: cost!, version: version!, requestId: requestId! };
}

/** The IDs on a page of the list, and the cursor of the next page. */
async function ids(query: string): Promise<[string[], string | null]> {
  const { data, next } = await gateway.platform<{ data: { id: string }[]; next: string | null }>("GET", `/api/models?${query}`);
  return [data.map(({ id }) => id), next];
}

describe("a model", () => {
  test("is created as requested, and can be called immediately", async () => {
    const made = await make("acme/m", {
      owned_by: "acme",
      price: PRICE,
      context_window: 9000,
      max_output_tokens: 100,
      capabilities: ["tools", "images"],
    });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: "acme/m",
        owned_by: "acme",
        state: "available",
        shutdown_date: null,
        replacement: null,
        price: { input_per_million: 1, cached_input_per_million: 1, output_per_million: 2, source: "operator" },
        upcoming_prices: [],
        past_prices: [],
        context_window: 9000,
        max_output_tokens: 100,
        capabilities: ["tools", "images"],
        routes: ROUTES,
        managed_by: "operator",
      },
    });
    expect((await ask("GET", "/api/models/acme%2Fm")).body).toMatchObject(made.body);
    expect(await call("acme/m")).toMatchObject({ status: 200, cost: "0.000009" });
    expect(outcome(await make("acme/m"))).toEqual([409, "already_exists", "id"]);
  });

  test("is rejected with the name of the invalid field", async () => {
    const cases: [object, string, string][] = [
      [{ id: undefined }, "missing_required_parameter", "id"],
      [{ routes: undefined }, "missing_required_parameter", "routes"],
      [{ routes: [] }, "invalid_value", "routes"],
      [{ routes: [{ upstream: "nobody", model: "x" }] }, "invalid_value", "routes[0].upstream"],
      [{ id: "two words" }, "invalid_value", "id"],
      [{ id: "." }, "invalid_value", "id"],
      [{ id: "a*b" }, "invalid_value", "id"],
      [{ state: "retired" }, "unsupported_parameter", "state"],
      [{ shutdown_date: "2999-01-31" }, "unsupported_parameter", "shutdown_date"],
      [{ free: true, price: PRICE }, "invalid_value", "price"],
      [{ price: { ...PRICE, input_per_million: 0.1234567 } }, "invalid_value", "price.input_per_million"],
      [{ price: { ...PRICE, effective: "2027-02-30" } }, "invalid_value", "price.effective"],
      [
        {
          prices: [
            { ...PRICE, effective: "2027-01-02" },
            { ...PRICE, effective: "2027-01-01" },
          ],
        },
        "invalid_value",
        "prices[1].effective",
      ],
      [{ price: { input_per_million: 1 } }, "missing_required_parameter", "price.output_per_million"],
      [{ capabilities: ["flying"] }, "invalid_value", "capabilities[0]"],
      [{ context_window: 0 }, "invalid_value", "context_window"],
    ];
    for (const [more, code, param] of cases) expect([more, ...outcome(await make("odd", more))]).toEqual([more, 400, code, param]);
    expect(outcome(await ask("GET", "/api/models/odd"))).toEqual([404, "unknown_model", null]);
  });

  test("is updated in the given fields only", async () => {
    await make("changing", { owned_by: "acme", price: PRICE, context_window: 9000, max_output_tokens: 100 });
    const path = "/api/models/changing";
    expect((await ask("PATCH", path, { owned_by: "beta" })).body).toMatchObject({
      owned_by: "beta",
      context_window: 9000,
      price: { output_per_million: 2 },
    });
    expect((await ask("PATCH", path, { context_window: null })).body).toMatchObject({ context_window: null, max_output_tokens: 100 });
    expect((await ask("PATCH", path, { capabilities: ["audio"] })).body).toMatchObject({ capabilities: ["audio"], owned_by: "beta" });
    expect(outcome(await ask("PATCH", path, { owned_by: null }))).toEqual([400, "invalid_value", "owned_by"]);
    expect(outcome(await ask("PATCH", path, { price: null }))).toEqual([400, "invalid_value", "price"]);
    expect(outcome(await ask("PATCH", path, { id: "another" }))).toEqual([400, "unsupported_parameter", "id"]);
    expect(outcome(await ask("PATCH", path, { routes: [{ upstream: "nobody", model: "x" }] }))).toEqual([
      400,
      "invalid_value",
      "routes[0].upstream",
    ]);
    const log = await gateway.platform<{ data: unknown[] }>("GET", "/api/audit-log?kind=model&id=changing");
    expect(log.data).toMatchObject([
      { action: "model.update", before: { owned_by: "beta" }, after: { capabilities: ["audio"] } },
      { action: "model.update", before: { context_window: 9000 }, after: { owned_by: "beta", max_output_tokens: 100 } },
      { action: "model.update", before: { owned_by: "acme" }, after: { owned_by: "beta", price: PRICE } },
      { action: "model.create", before: null },
    ]);
  });

  test("is created once per Idempotency-Key", async () => {
    const headers = { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json", "idempotency-key": "once" };
    const body = JSON.stringify({ id: "once", routes: ROUTES, free: true });
    const statuses = [];
    for (let at = 0; at < 2; at++)
      statuses.push((await fetch(`${gateway.platformUrl}/api/models`, { method: "POST", headers, body })).status);
    expect(statuses).toEqual([201, 200]);
  });
});

describe("a price", () => {
  test("that is replaced applies from the next request on; a receipt keeps its own price", async () => {
    await make("priced", { price: PRICE });
    const before = await call("priced");
    await ask("PATCH", "/api/models/priced", { price: { input_per_million: 10, output_per_million: 20 } });
    const after = await call("priced");
    expect([before.cost, after.cost, before.version === after.version]).toEqual(["0.000009", "0.00009", false]);
    const receipt = await gateway.platform<object>("GET", `/api/receipts/${before.requestId}`);
    expect(receipt).toMatchObject({ charged: "0.000009", price: { version: before.version, output_per_million: 2 } });
    const { body } = await ask("GET", "/api/models/priced");
    expect(body["price_changes"]).toMatchObject([
      { by: "operator token", declared: { price: { output_per_million: 20 } } },
      { by: "operator token", declared: { price: PRICE } },
    ]);
  });

  test("declared in one way replaces one declared in another; free: false leaves the model without a price, and it cannot be called", async () => {
    await make("turning", { price: PRICE });
    const prices = [PRICE, { ...PRICE, effective: "2999-01-31" }];
    expect((await ask("PATCH", "/api/models/turning", { prices })).body).toMatchObject({ upcoming_prices: [{ output_per_million: 2 }] });
    expect((await ask("PATCH", "/api/models/turning", { free: true })).body).toMatchObject({
      price: { version: "free" },
      upcoming_prices: [],
    });
    expect((await ask("PATCH", "/api/models/turning", { free: false })).body).toMatchObject({ price: null });
    expect((await call("turning")).status).toBe(403);
    expect((await ask("PATCH", "/api/models/turning", { price: PRICE })).body).toMatchObject({ price: { output_per_million: 2 } });
  });

  test("with a rate of null is rejected, and never read as zero", async () => {
    const { status, body } = await make("cached", { price: { ...PRICE, cached_input_per_million: null } });
    expect([status, body.code, body.param]).toEqual([400, "invalid_value", "price.cached_input_per_million"]);
    const { body: made } = await make("cached", { price: PRICE });
    expect(made).toMatchObject({ price: { cached_input_per_million: 1, effective_at: "1970-01-01T00:00:00.000Z" } });
  });

  test("of every charge is known to the auditor", async () => {
    const audit = await gateway.platform<{ discrepancies: unknown[] }>("GET", "/api/audit");
    expect(audit.discrepancies).toEqual([]);
  });
});

describe("the list", () => {
  test("is sorted by id and paginated, and can be searched and filtered by state", async () => {
    for (const id of ["list/c", "list/a", "list/b"]) await make(id, { free: true, owned_by: `owner of ${id}` });
    await ask("POST", "/api/models/list%2Fc/deprecate", { shutdown_date: "2999-01-31", replacement: "list/a" });
    const [first, next] = await ids("search=list/&limit=2");
    expect(first).toEqual(["list/a", "list/b"]);
    expect(await ids(`search=list/&limit=2&cursor=${next}`)).toEqual([["list/c"], null]);
    expect(await ids("search=OWNER%20OF%20list/b")).toEqual([["list/b"], null]);
    expect(await ids("search=list/&state=deprecated")).toEqual([["list/c"], null]);
    expect(outcome(await ask("GET", "/api/models?state=asleep"))).toEqual([400, "invalid_value", "state"]);
  });
});

describe("models discovered from the environment", () => {
  test("cannot be changed; a model created with the same id replaces a discovered one", async () => {
    expect((await ask("GET", "/api/models/echo")).body).toMatchObject({ managed_by: "environment", price: { output_per_million: 2 } });
    const attempts = [
      await ask("PATCH", "/api/models/echo", { free: true }),
      await ask("POST", "/api/models/echo/deprecate", { shutdown_date: "2999-01-31", replacement: "acme/m" }),
      await ask("DELETE", "/api/upstreams/echo"),
    ];
    for (const attempt of attempts) {
      expect(outcome(attempt)).toEqual([409, "managed_elsewhere", null]);
      expect(attempt.body["detail"]).toContain("discovered from the environment");
    }
    expect(outcome(await ask("POST", "/api/upstreams", { id: "echo", dialect: "echo" }))).toEqual([409, "already_exists", "id"]);
    const own = { id: "echo", routes: [{ upstream: "echo", model: "echo" }], free: true };
    expect(outcome(await ask("POST", "/api/models", own))).toEqual([201]);
    expect((await ask("GET", "/api/models/echo")).body).toMatchObject({ managed_by: "operator", price: { output_per_million: 0 } });
    expect(outcome(await ask("POST", "/api/models", own))).toEqual([409, "already_exists", "id"]);
  });
});

/** A config file with one model, and additional settings. */
function declared(more: string): string {
  return `upstreams: [{ id: e, dialect: echo }]\nmodels:\n  - { id: new, routes: [{ upstream: e, model: x }], free: true }\n${more}`;
}

test("a model that was retired in the file and removed from it cannot be created again", async () => {
  const retired = "  - { id: old, routes: [{ upstream: e, model: x }], free: true, state: retired, replacement: new }\n";
  const first = await startGateway({ yaml: declared(retired) });
  await first.end();
  const second = await startGateway({ folder: first.folder, yaml: declared("") });
  const again = await askPlatform(second, "POST", "/api/models", { id: "old", routes: [{ upstream: "e", model: "x" }], free: true });
  expect(outcome(again)).toEqual([409, "state_conflict", null]);
  expect(again.body["detail"]).toContain("cannot go back from retired to available");
  await second.stop();
});
