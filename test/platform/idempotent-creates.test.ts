import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { memberOf, openPlatform, OPERATOR } from "../support/gateway/platform-in-process.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

interface CallResult {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.stop());

async function create(path: string, name: string, body: object): Promise<CallResult> {
  const reply = await fetch(gateway.platformUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.operatorToken}`, "content-type": "application/json", "idempotency-key": name },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as CallResult["body"] };
}

const createAtOnce = (path: string, name: string, body: object): Promise<CallResult[]> =>
  Promise.all(Array.from({ length: 8 }, () => create(path, name, body)));

const keysNamed = async (name: string): Promise<unknown[]> =>
  (await gateway.platform<{ data: unknown[] }>("GET", `/api/keys?search=${name}`)).data;

describe("with an Idempotency-Key", () => {
  test("a key is created once: the second reply has the same key without its secret", async () => {
    const wanted = { name: "once", models: ["*"] };
    const first = await create("/api/keys", "k-once", wanted);
    const second = await create("/api/keys", "k-once", wanted);
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(first.body["key"]).toMatch(/^sk-service-/);
    expect(second.body).toEqual({ ...first.body, key: null });
    expect(await keysNamed("once")).toHaveLength(1);
  });

  test("an account is created once, and the second reply has its present state", async () => {
    const wanted = { id: "once", name: "Once" };
    expect((await create("/api/accounts", "a-once", wanted)).status).toBe(201);
    await gateway.platform("PATCH", "/api/accounts/once", { name: "Changed" });
    expect(await create("/api/accounts", "a-once", wanted)).toMatchObject({ status: 200, body: { id: "once", name: "Changed" } });
    expect(await create("/api/accounts", "a-other", wanted)).toMatchObject({ status: 409, body: { code: "already_exists" } });
  });

  test("a key is rotated once, and a retry revokes nothing", async () => {
    const { body } = await create("/api/keys", "k-to-rotate", { name: "rotating", models: ["*"] });
    const path = `/api/keys/${String(body["id"])}/rotate`;
    const [first, second] = [await create(path, "rotation", {}), await create(path, "rotation", {})];
    expect([first.status, second.status, second.body["key"]]).toEqual([200, 200, null]);
    const models = await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${String(body["key"])}` } });
    expect(models.status).toBe(200);
  });

  test("another body or another endpoint is rejected, and creates nothing", async () => {
    await create("/api/keys", "k-reused", { name: "reused", models: ["*"] });
    for (const [path, body] of [
      ["/api/keys", { name: "reused", models: ["a"] }],
      ["/api/accounts", { id: "reused", name: "reused" }],
    ] as const) {
      expect(await create(path, "k-reused", body)).toMatchObject({ status: 409, body: { code: "idempotency_key_reused" } });
    }
    expect(await keysNamed("reused")).toHaveLength(1);
    expect((await create("/api/accounts", "k-fresh", { id: "reused", name: "reused" })).status).toBe(201);
  });

  test("of many concurrent calls one creates it, and all return it", async () => {
    const keys = await createAtOnce("/api/keys", "k-race", { name: "race", models: ["*"] });
    expect(keys.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([201, 200, 200, 200, 200, 200, 200, 200]);
    expect(new Set(keys.map(({ body }) => body["id"])).size).toBe(1);
    expect(keys.filter(({ body }) => body["key"] !== null)).toHaveLength(1);
    expect(await keysNamed("race")).toHaveLength(1);
    const accounts = await createAtOnce("/api/accounts", "a-race", { id: "race", name: "race" });
    expect(accounts.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([201, 200, 200, 200, 200, 200, 200, 200]);
  });

  test("a rejected creation can be retried with the same key", async () => {
    const wanted = { name: "later", models: ["*"], account: "later" };
    expect((await create("/api/keys", "k-later", wanted)).status).toBe(400);
    await gateway.platform("POST", "/api/accounts", { id: "later", name: "Later" });
    expect((await create("/api/keys", "k-later", wanted)).status).toBe(201);
  });

  test("the result is kept across a restart", async () => {
    const wanted = { name: "lasting", models: ["*"] };
    const first = await create("/api/keys", "k-lasting", wanted);
    const { folder } = gateway;
    await gateway.end();
    gateway = await startGateway({ folder });
    expect(await create("/api/keys", "k-lasting", wanted)).toEqual({ status: 200, body: { ...first.body, key: null } });
    expect(await keysNamed("lasting")).toHaveLength(1);
  });

  test("an invalid Idempotency-Key is rejected by name", async () => {
    for (const name of ["ü", "a".repeat(201), "a b"]) {
      expect(await create("/api/keys", name, { name: "x", models: ["*"] })).toMatchObject({
        status: 400,
        body: { param: "idempotency-key" },
      });
    }
  });
});

test("of two concurrent creations that both find no result, the second returns the result of the first", async () => {
  const platform = await openPlatform();
  const cases = { createKey: { name: "a", models: ["*"] }, createAccount: { id: "acme", name: "Acme" } };
  for (const [operationId, body] of Object.entries(cases)) {
    const asked = { idempotencyKey: operationId, body };
    const made = await Promise.all(Array.from({ length: 3 }, () => platform.call(OPERATOR, operationId, asked)));
    expect(made.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([201, 200, 200]);
    expect(new Set(made.map((each) => each.body["id"])).size).toBe(1);
  }
  await platform.stop();
});

test("the Idempotency-Keys of two callers are separate", async () => {
  const platform = await openPlatform();
  await platform.call(OPERATOR, "createAccount", { body: { id: "acme", name: "Acme" } });
  const asked = { idempotencyKey: "same", body: { name: "a", models: ["*"] } };
  const [mine, theirs] = [await platform.call(OPERATOR, "createKey", asked), await platform.call(memberOf("acme"), "createKey", asked)];
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect([mine.body["account"], theirs.body["account"]]).toEqual(["default", "acme"]);
  expect((await platform.call(memberOf("acme"), "createKey", asked)).body).toMatchObject({ id: theirs.body["id"], key: null });
  await platform.stop();
});
