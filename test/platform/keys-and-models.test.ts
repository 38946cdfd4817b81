import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { makeApiKey } from "../../src/access/api-key.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { expireSoon } from "../support/gateway/expire-soon.ts";

const MODELS = ["gpt-a", "gpt-b", "claude-a", "old", "gone"] as const;

const route = (model: string): string => `routes: [{ upstream: mock, model: ${model} }]`;

let mock: MockUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  mock = startMockUpstream(Object.fromEntries(MODELS.map((model) => [model, () => Response.json(completion())])));
  gateway = await startGateway({
    yaml: `
upstreams:
  - { id: mock, dialect: openai, base_url: "${mock.baseUrl}/", allow_private: true, credential: upstream-credential-canary }
models:
  - { id: gpt-a, owned_by: acme, ${route("gpt-a")}, free: true }
  - { id: gpt-b, ${route("gpt-b")}, price: { input_per_million: 0.15, output_per_million: 0.6, cached_input_per_million: 0.0375 } }
  - { id: claude-a, ${route("claude-a")}, free: true }
  - { id: old, ${route("old")}, free: true, state: deprecated, shutdown_date: 2127-01-31, replacement: gpt-a }
  - { id: gone, ${route("gone")}, free: true, state: retired, replacement: gpt-b }
`,
  });
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

function list(key: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
}

async function listedIds(key: string): Promise<string[]> {
  return ((await (await list(key)).json()) as { data: { id: string }[] }).data.map((model) => model.id);
}

function call(key: string, model: string): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
}

function platform(method: string, path: string, body?: object, token = gateway.operatorToken): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(gateway.platformUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

describe("models", () => {
  test("a model is listed if and only if the key and its account may call it", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "listing", name: "listing" });
    await gateway.platform("POST", "/api/accounts/listing/grants", { amount: "10", reference: "first", reason: "for tests" });
    const patterns = fc.array(fc.constantFrom("*", "gpt-*", "gpt-a", "claude-*", "old", "gone", "g*", "nothing", "claude-a*"), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(patterns, patterns, async (models, ofAccount) => {
        await gateway.platform("PATCH", "/api/accounts/listing", { models: ofAccount });
        const { key } = await gateway.makeKey(models, { account: "listing" });
        const statuses = await Promise.all(MODELS.map(async (model) => [model, (await call(key, model)).status] as const));
        expect(statuses.filter(([, status]) => status === 200).map(([model]) => model)).toEqual(
          (await listedIds(key)) as (typeof MODELS)[number][],
        );
      }),
      { numRuns: 40 },
    );
  });

  test("a model that an account may not call is rejected for each of its keys, whatever the key's own list has", async () => {
    const made = await gateway.platform<object>("POST", "/api/accounts", { id: "bounded", name: "bounded", models: ["claude-*"] });
    expect(made).toMatchObject({ models: ["claude-*"] });
    const { key } = await gateway.makeKey(["*"], { account: "bounded" });
    expect(await listedIds(key)).toEqual(["claude-a"]);
    const refused = await Promise.all(["gpt-a", "gone", "nowhere"].map(async (model) => (await call(key, model)).json()));
    for (const body of refused) expect(body).toMatchObject({ error: { code: "model_not_allowed" } });
    await gateway.platform("PATCH", "/api/accounts/bounded", { models: ["*"] });
    expect((await call(key, "gpt-a")).status).toBe(200);
    const { data } = await gateway.platform<{ data: object[] }>("GET", "/api/audit-log?action=account.update&id=bounded");
    expect(data).toMatchObject([{ before: { models: ["claude-*"] }, after: { models: ["*"] } }]);
  });

  test("the list has the contract's shape and flags a deprecated model", async () => {
    const { key } = await gateway.makeKey();
    const body = (await (await list(key)).json()) as { object: string; data: Record<string, unknown>[] };
    expect(body.object).toBe("list");
    expect(body.data).toMatchObject([
      { id: "gpt-a", object: "model", owned_by: "acme" },
      { id: "gpt-b", object: "model", owned_by: "tollgate" },
      { id: "claude-a", object: "model", owned_by: "tollgate" },
      { id: "old", object: "model", owned_by: "tollgate", deprecated: true, shutdown_date: "2127-01-31", replacement: "gpt-a" },
    ]);
    for (const model of body.data) expect(Number.isSafeInteger(model["created"])).toBe(true);
    expect(body.data.filter((model) => "deprecated" in model)).toHaveLength(1);
  });

  test("a deprecated model responds with deprecation headers", async () => {
    const { key } = await gateway.makeKey();
    const reply = await call(key, "old");
    expect([reply.status, reply.headers.get("x-tollgate-shutdown-date"), reply.headers.get("x-tollgate-replacement")]).toEqual([
      200,
      "2127-01-31",
      "gpt-a",
    ]);
    expect((await call(key, "gpt-a")).headers.get("x-tollgate-replacement")).toBeNull();
  });

  test("an unknown model and a forbidden model have the same error", async () => {
    const { key } = await gateway.makeKey(["claude-*"]);
    const refusals = await Promise.all(["gpt-a", "gpt-x", "gone"].map((model) => call(key, model)));
    const bodies = await Promise.all(refusals.map(async (reply) => (await reply.text()).replaceAll(/gpt-a|gpt-x|gone/g, "MODEL")));
    expect(refusals.map((reply) => reply.status)).toEqual([403, 403, 403]);
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0]!)).toMatchObject({ error: { type: "permission_error", code: "model_not_allowed", param: "model" } });
  });

  test("the error of a retired model names its replacement to keys that could call it", async () => {
    const { key } = await gateway.makeKey(["g*"]);
    const { error } = (await (await call(key, "gone")).json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("model_retired");
    expect(error.message).toContain("gpt-b");
  });
});

describe("keys", () => {
  test("every bad key gets the same 401", async () => {
    const { key, id } = await gateway.makeKey();
    await platform("DELETE", `/api/keys/${id}`);
    const expiring = await gateway.makeKey(["*"], { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await list(expiring.key)).status).toBe(200);
    const expiresAtMs = await expireSoon(gateway, expiring.id);
    await Bun.sleep(expiresAtMs + 1 - Date.now());
    const stranger = makeApiKey().key.reveal();
    const headers = [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      "Basic abc",
      `Bearer ${key}`,
      `Bearer ${expiring.key}`,
      `Bearer ${stranger}`,
      "Bearer sk-service-junk",
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key} ${key}`,
      `Bearer ${gateway.operatorToken}`,
      "Bearer ' or 1=1 --",
      `Bearer ${"a".repeat(10_000)}`,
    ];
    const seen = new Set<string>();
    for (const authorization of headers) {
      const reply = await fetch(`${gateway.baseUrl}/models`, { headers: authorization === undefined ? {} : { authorization } });
      seen.add(`${reply.status} ${reply.headers.get("www-authenticate")} ${await reply.text()}`);
    }
    expect([...seen]).toEqual([
      '401 Bearer {"error":{"message":"A valid API key is required: Authorization: Bearer sk-service-…","type":"authentication_error","param":null,"code":"invalid_api_key"}}',
    ]);
  });

  test("the ID of a key is not accepted without its secret, even with a valid checksum", async () => {
    const { key, id } = await gateway.makeKey();
    const forged = `sk-service-${id}${"a".repeat(32)}`;
    expect((await list(forged + checksumOf(forged))).status).toBe(401);
    expect((await list(key.slice(0, -6) + checksumOf(key.slice(0, -6)))).status).toBe(200);
  });

  test("a revoked key is rejected from the next request on, and stays in the list as revoked", async () => {
    const { key, id } = await gateway.makeKey();
    expect((await list(key)).status).toBe(200);
    expect(await (await platform("DELETE", `/api/keys/${id}`)).json()).toMatchObject({ id, active: false });
    expect((await list(key)).status).toBe(401);
    const { data } = (await (await platform("GET", "/api/keys")).json()) as { data: { id: string; active: boolean; revoked_at: string }[] };
    const first = data.find((record) => record.id === id)!;
    expect(first).toMatchObject({ active: false });
    await platform("DELETE", `/api/keys/${id}`);
    const again = (await (await platform("GET", "/api/keys")).json()) as typeof first extends infer T ? { data: T[] } : never;
    expect(again.data.find((record) => record.id === id)!.revoked_at).toBe(first.revoked_at);
  });

  test("a key is shown once: neither the list nor the disk has it, and secret files are readable by their owner only", async () => {
    const { key } = await gateway.makeKey();
    expect(await (await platform("GET", "/api/keys")).text()).not.toContain(key.slice(11, 40));
    const files = ["tollgate.db", "tollgate.db-wal", "hash-secret", "operator-token", "ledger-journal"].map((name) =>
      join(gateway.folder, "data", name),
    );
    for (const file of files) expect(readFileSync(file, "latin1")).not.toContain(key.slice(23));
    expect(statSync(files[2]!).mode & 0o777).toBe(0o600);
    expect(statSync(files[3]!).mode & 0o777).toBe(0o600);
    expect(statSync(files[0]!).mode & 0o777).toBe(0o600);
    expect(statSync(files[1]!).mode & 0o777).toBe(0o600);
    expect(statSync(files[4]!).mode & 0o777).toBe(0o600);
    expect(statSync(join(gateway.folder, "data")).mode & 0o777).toBe(0o700);
    const row = new Database(files[0], { readonly: true }).query("select hash from keys where id = ?").get(key.slice(11, 23)) as {
      hash: string;
    };
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(row.hash).not.toBe(new Bun.CryptoHasher("sha256").update(key).digest("hex"));
  });
});

describe("the platform", () => {
  test("accepts only the operator token, on every endpoint; the gateway accepts only keys", async () => {
    const { key } = await gateway.makeKey();
    const endpoints = [
      ["GET", "/api/keys"],
      ["POST", "/api/keys"],
      ["DELETE", "/api/keys/x"],
      ["GET", "/api/models"],
    ] as const;
    for (const [method, path] of endpoints) {
      for (const token of [key, "", "x", `${gateway.operatorToken}x`, gateway.operatorToken.slice(0, -1)]) {
        const reply = await platform(method, path, undefined, token);
        expect([method, path, reply.status, ((await reply.json()) as { code: string }).code]).toEqual([method, path, 401, "not_signed_in"]);
      }
      expect(
        (await fetch(gateway.baseUrl.replace("/v1", path), { method, headers: { authorization: `Bearer ${gateway.operatorToken}` } }))
          .status,
      ).toBe(404);
    }
    for (const path of ["/v1/models", "/v1/chat/completions", "/healthz"]) expect((await platform("GET", path)).status).toBe(404);
    expect((await list(gateway.operatorToken)).status).toBe(401);
  });

  test("rejects unknown and invalid fields by name", async () => {
    const cases: [object, string, string][] = [
      [{ name: "a", models: ["*"], budget: 5 }, "unsupported_parameter", "budget"],
      [{ name: "a", models: ["*"], constructor: 5 }, "unsupported_parameter", "constructor"],
      [{ models: ["*"] }, "missing_required_parameter", "name"],
      [{ name: "a" }, "missing_required_parameter", "models"],
      [{ name: "", models: ["*"] }, "invalid_value", "name"],
      [{ name: "a".repeat(101), models: ["*"] }, "invalid_value", "name"],
      [{ name: "a", models: [] }, "invalid_value", "models"],
      [{ name: "a", models: ["a*b"] }, "invalid_value", "models[0]"],
      [{ name: "a", models: ["*"], expires_at: "tomorrow" }, "invalid_value", "expires_at"],
      [{ name: "a", models: ["*"], expires_at: "2020-01-01" }, "invalid_value", "expires_at"],
      [{ name: "a", models: ["*"], expires_at: "2030-02-30T00:00:00Z" }, "invalid_value", "expires_at"],
    ];
    for (const [body, code, param] of cases) {
      const reply = await platform("POST", "/api/keys", body);
      expect([reply.status, (await reply.json()) as object]).toMatchObject([400, { code, param }]);
    }
    expect((await platform("DELETE", "/api/keys/unknown")).status).toBe(404);
  });

  test("shows operators each model with its route, price and state", async () => {
    const { data } = (await (await platform("GET", "/api/models")).json()) as { data: Record<string, unknown>[] };
    expect(data.find((model) => model["id"] === "gpt-b")).toMatchObject({
      state: "available",
      routes: [{ upstream: "mock", model: "gpt-b" }],
      price: { input_per_million: 0.15, output_per_million: 0.6, cached_input_per_million: 0.0375 },
    });
    expect(data.find((model) => model["id"] === "gone")).toMatchObject({ state: "retired", replacement: "gpt-b" });
  });

  test("rejects requests of pages of other origins", async () => {
    const reply = await fetch(`${gateway.platformUrl}/api/keys`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.test", "access-control-request-method": "POST" },
    });
    expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([405, null]);
  });
});

test("no secret is in the log or in any reply of this file", async () => {
  const last = await list("sk-service-last");
  await waitFor(() => gateway.output().includes(last.headers.get("x-request-id")!));
  expect(gateway.output()).not.toContain("upstream-credential-canary");
  expect(gateway.output()).not.toContain(gateway.operatorToken);
  expect(gateway.output()).not.toMatch(/sk-service-[0-9A-Za-z]{50}/);
});

/** docs/leaked-keys.md is for people who have no other information, so its statements are tested. */
function checksumOf(text: string): string {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let rest = BigInt(crc32(text));
  let sum = "";
  for (; sum.length < 6; rest /= 62n) sum = digits[Number(rest % 62n)]! + sum;
  return sum;
}
