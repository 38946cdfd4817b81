import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { dryRunSchema } from "../../src/gateway/dry-run/dry-run-schema.ts";
import { findViolation } from "../../src/lib/schema/schema.ts";
import { eventually } from "../support/eventually.ts";
import { fund } from "../support/upstreams/money-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { waitFor } from "../support/gateway/start-gateway.ts";
import { untilWritten } from "../support/gateway/until-written.ts";
import { explained, MODELS, post, startManyModels, type Explanation, type ManyModels } from "./many-models.ts";

let many: ManyModels;
let key: { id: string; key: string };
beforeAll(async () => {
  many = await startManyModels();
  key = await fund(many.gateway, "acme", "10");
});
afterAll(() => many.stop());

const explain = (model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Explanation> =>
  explained(many.gateway, key.key, chatBody(model, more), headers);

describe("a dry run", () => {
  test("reports what would happen to a request, by the published schema", async () => {
    const reply = await post(many.gateway, key.key, chatBody("capped"), { "x-dry-run": "1" });
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/vnd.tollgate.explanation+json"]);
    const explanation = (await reply.json()) as Explanation;
    expect(findViolation(dryRunSchema, explanation)).toBeUndefined();
    expect(explanation).toMatchObject({
      status: 200,
      error: null,
      key: key.id,
      account: "acme",
      model: { id: "capped", allowed: true, state: "available", shutdown_date: null, replacement: null },
      cache: null,
      max_tokens: 50,
      headroom: { credit: "10.00", budgets: [], limits: { requests: null, tokens: null } },
      dropped: [],
      routes: [{ upstream: "mock", priority: 1, standing: "ready", order: 1, why: "only" }],
    });
    expect(JSON.stringify(explanation)).not.toContain(key.key);
  });

  test("reports the hold and the price version, which apply to the request", async () => {
    const { hold, price_version: version } = await explain("plain", { max_tokens: 10 });
    const reply = await post(many.gateway, key.key, chatBody("plain", { max_tokens: 10 }));
    expect(reply.headers.get("x-tollgate-price-version")).toBe(version as string);
    const receipt = await many.gateway.platform<{ held: string }>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
    expect(receipt.held).toBe(hold as string);
  });

  test("reports a model's deprecation, and a retired model", async () => {
    const old = { id: "old", allowed: true, state: "deprecated", shutdown_date: "2127-01-31", replacement: "plain" };
    expect(await explain("old")).toMatchObject({ status: 200, model: old });
    const gone = await explain("gone");
    expect(gone).toMatchObject({ status: 403, error: { code: "model_retired" }, routes: null });
    expect(gone["model"]).toEqual({ id: "gone", allowed: true, state: "retired", shutdown_date: null, replacement: "plain" });
  });

  test("reveals nothing about a model that the key may not call, not even whether it exists", async () => {
    const narrow = await many.gateway.platform<{ key: string }>("POST", "/api/keys", { name: "n", models: ["gratis"], account: "acme" });
    const [there, nowhere] = await Promise.all(
      ["plain", "nowhere"].map(async (model) => explained(many.gateway, narrow.key, chatBody(model))),
    );
    expect(there).toMatchObject({
      status: 403,
      error: { code: "model_not_allowed" },
      model: { allowed: false, state: null },
      routes: null,
    });
    expect(JSON.parse(JSON.stringify(there).replaceAll("plain", "nowhere"))).toEqual(nowhere);
  });

  test("reports the order of the routes with reasons, and the excluded routes", async () => {
    const { routes } = await explain("several");
    expect(routes!.map(({ upstream, priority, standing, order, why }) => [upstream, priority, standing, order, why])).toEqual([
      ["other", 1, "ready", 1, "only"],
      ["mock", 2, "ready", 2, "only"],
      ["mock", 1, "price_unknown", null, null],
    ]);
    expect(await explain("dear")).toMatchObject({ status: 503, error: { code: "no_upstream_available" }, retry_after: 5 });
  });

  test("reports an upstream whose slots and queue are full", async () => {
    const first = post(many.gateway, key.key, chatBody("busy"));
    await waitFor(() => many.mock.requests.some(({ body }) => body["model"] === "busy"));
    const explanation = await explain("busy");
    const real = await post(many.gateway, key.key, chatBody("busy"));
    expect([explanation.status, explanation.error!["code"], real.status]).toEqual([503, "overloaded", 503]);
    expect(explanation.routes).toMatchObject([{ standing: "full", order: 1, why: "only" }]);
    many.release();
    expect((await first).status).toBe(200);
    expect(await explain("busy")).toMatchObject({ status: 200, routes: [{ standing: "ready" }] });
  });

  test("reports parameters that would be dropped, renamed or rejected", async () => {
    const { dropped, routes } = await explain("dropping", { seed: 1, user: "ann" });
    expect([dropped, routes]).toMatchObject([["seed"], [{ dropped: ["seed"], renamed: { user: "end_user" } }]]);
    const strict = await explain("strict", { seed: 1 });
    expect(strict).toMatchObject({ status: 400, error: { code: "unsupported_parameter", param: "seed" } });
    expect(strict.routes).toMatchObject([{ standing: "unsupported_parameters", order: null, refused: ["seed"] }]);
  });

  test("reports the headroom, and the error that the request itself would receive", async () => {
    await fund(many.gateway, "poor", "0.001");
    const wanted = {
      name: "p",
      models: ["*"],
      account: "poor",
      caps: { day: "0.0005" },
      limits: { requests_per_minute: 3, tokens_per_minute: 9000 },
    };
    const poor = await many.gateway.platform<{ key: string }>("POST", "/api/keys", wanted);
    const body = chatBody("plain", { max_tokens: 100_000 });
    const explanation = await explained(many.gateway, poor.key, body);
    const real = await post(many.gateway, poor.key, body);
    expect([explanation.status, { error: explanation.error }]).toEqual([
      real.status,
      (await real.json()) as { error: Record<string, unknown> },
    ]);
    expect(explanation).toMatchObject({
      status: 402,
      headroom: {
        credit: "0.001",
        budgets: [{ name: "the daily spend cap of this key", left: "0.0005", resets_at: expect.stringMatching(/T00:00:00.000Z$/) }],
        limits: { requests: { limit: 3, remaining: 3, reset_ms: 0 }, tokens: { limit: 9000, remaining: 9000 } },
      },
      routes: [{ order: 1 }],
    });
    expect(Number(explanation["hold"])).toBeGreaterThan(0.2);
    // The rejected request raises an alert within two seconds. It must not appear while the next test compares the stored data.
    await eventually(
      () => many.gateway.platform<{ data: { type: string }[] }>("GET", "/api/alerts"),
      ({ data }) => data.some(({ type }) => type === "cap.reached"),
    );
  });

  test("reports a cache hit, and an idempotent replay", async () => {
    expect(await explain("kept")).toMatchObject({ status: 200, cache: "miss", routes: [{ order: 1 }] });
    await (await post(many.gateway, key.key, chatBody("kept"), { "idempotency-key": "a" })).text();
    expect(await explain("kept")).toMatchObject({ status: 200, cache: "hit", hold: "0.00000405", routes: null, max_tokens: null });
    expect(await explain("kept", {}, { "cache-control": "no-store" })).toMatchObject({ cache: null });
    expect((await explain("kept", {}, { "idempotency-key": "a" }))["replayed"]).toMatch(/^req_/);
    const other = await explain("kept", { seed: 1 }, { "idempotency-key": "a" });
    expect(other).toMatchObject({ status: 400, error: { param: "Idempotency-Key" }, replayed: null, model: { allowed: null } });
  });

  test("of an invalid request is rejected like the request", async () => {
    const dry = { "x-dry-run": "1" };
    const replies = await Promise.all([
      post(many.gateway, "sk-service-nobody", chatBody("plain"), dry),
      post(many.gateway, key.key, "{", dry),
      post(many.gateway, key.key, '{"model":"plain"}', dry),
      post(many.gateway, key.key, chatBody("plain"), { "x-dry-run": "maybe" }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([401, 400, 400, 400]);
    expect(await replies[3].json()).toMatchObject({ error: { code: "invalid_value", param: "x-dry-run" } });
  });

  test("is off with 0 or false", async () => {
    for (const value of ["0", "false"]) {
      const reply = await post(many.gateway, key.key, chatBody("gratis"), { "x-dry-run": value });
      expect(await reply.json()).toMatchObject({ object: "chat.completion" });
    }
  });
});

/** A dry run counts as a use of its key, and the watcher marks earlier events every other second. */
const NOT_OF_DRY_RUNS = new Set(["key_uses", "alert_marks"]);

/** Every row of all other tables. */
async function everythingKept(): Promise<Record<string, unknown[]>> {
  // Last-used times are written every few seconds, and at once when they are read.
  await many.gateway.platform("GET", "/api/models/plain/keys");
  const path = join(many.gateway.folder, "data", "tollgate.db");
  untilWritten(path);
  const file = new Database(path, { readonly: true, safeIntegers: true });
  try {
    const tables = file.query<{ name: string }, []>("select name from sqlite_master where type = 'table' order by name").all();
    const rows = tables.map(({ name }) => [name, NOT_OF_DRY_RUNS.has(name) ? [] : file.query(`select * from "${name}"`).all()] as const);
    return Object.fromEntries(rows);
  } finally {
    file.close();
  }
}

test("any number of dry runs call, write, take and lock nothing", async () => {
  const limited = { name: "l", models: ["*"], account: "acme", limits: { requests_per_minute: 2, concurrent_requests: 1 } };
  const narrow = await many.gateway.platform<{ key: string }>("POST", "/api/keys", limited);
  const [before, calls] = [await everythingKept(), many.mock.requests.length];
  for (const model of [...MODELS, "nowhere"]) {
    for (const more of [{}, { seed: 1, stream: true }, { max_tokens: 10_000_000 }]) {
      const explanation = await explained(many.gateway, narrow.key, chatBody(model, more), { "idempotency-key": "dry" });
      expect(explanation["headroom"]).toMatchObject({ credit: expect.any(String), limits: { requests: { remaining: 2 } } });
    }
  }
  expect([await everythingKept(), many.mock.requests.length]).toEqual([before, calls]);
  // The Idempotency-Key is still unused, and the only concurrency slot is free.
  const reply = await post(many.gateway, narrow.key, chatBody("gratis"), { "idempotency-key": "dry" });
  expect([reply.status, reply.headers.get("x-tollgate-replayed"), reply.headers.get("x-ratelimit-remaining-requests")]).toEqual([
    200,
    null,
    "1",
  ]);
});

test("the log marks a dry run", async () => {
  const reply = await post(many.gateway, key.key, chatBody("plain"), { "x-dry-run": "1" });
  const requestId = reply.headers.get("x-request-id");
  const line = await waitFor(() => many.gateway.logLines().find((each) => each["request_id"] === requestId));
  expect(line).toMatchObject({ dry_run: true, model: "plain", status: 200 });
});

test("with route headers off, it has no routes, but names dropped parameters", async () => {
  const silent = await startManyModels({ TOLLGATE_ROUTE_HEADERS: "off" });
  try {
    const caller = await fund(silent.gateway, "acme");
    const explanation = await explained(silent.gateway, caller.key, chatBody("dropping", { seed: 1 }));
    expect(explanation).toMatchObject({ status: 200, routes: null, dropped: ["seed"] });
    expect(JSON.stringify(explanation)).not.toContain("mock");
  } finally {
    await silent.stop();
  }
});
