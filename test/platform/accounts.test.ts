import { readRates, viewRates } from "../../src/money/limits.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  ask,
  callPlatform,
  fund,
  startMoneyUpstream,
  usageOf,
  type MoneyUpstream,
  type PlatformAnswer,
} from "../support/upstreams/money-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

let upstream: MoneyUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = startMoneyUpstream();
  gateway = await startGateway({ yaml: upstream.yaml });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const codeOf = async (refused: Response): Promise<string> => ((await refused.json()) as { error: { code: string } }).error.code;

const call = (method: string, path: string, body?: object): Promise<PlatformAnswer> => callPlatform(gateway, method, path, body);

describe("accounts", () => {
  test("creates an account with limits and caps, shows it, lists it by id, and rejects a duplicate", async () => {
    const wanted = { id: "acme", name: "Acme", limits: { requests_per_minute: 60 }, caps: { month: "12.5", total: null } };
    const made = await call("POST", "/api/accounts", wanted);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: "acme",
      name: "Acme",
      credit: "0.00",
      held: "0.00",
      available: "0.00",
      spent: { day: "0.00", month: "0.00", total: "0.00" },
      limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null },
      caps: { day: null, month: "12.50", total: null },
    });
    expect(made.body).toMatchObject((await call("GET", "/api/accounts/acme")).body);
    await call("POST", "/api/accounts", { id: "aaa", name: "first" });
    const ids = (await call("GET", "/api/accounts")).body.data.map((account) => account["id"]);
    expect(ids.slice(0, 2)).toEqual(["aaa", "acme"]);
    expect(ids).toContain("default");
    expect(await call("POST", "/api/accounts", { id: "acme", name: "Other" })).toMatchObject({
      status: 409,
      body: { code: "already_exists", param: "id" },
    });
    expect((await call("GET", "/api/accounts/acme")).body["name"]).toBe("Acme");
  });

  test("lists the lowest balances first on request", async () => {
    await call("POST", "/api/accounts", { id: "aa-rich", name: "rich" });
    await call("POST", "/api/accounts/aa-rich/grants", { amount: "5000", reference: "rich", reason: "to stand last" });
    const { body } = await call("GET", "/api/accounts?sort=available&limit=1000");
    expect(body.data.at(-1)!["id"]).toBe("aa-rich");
    const amounts = body.data.map((account) => Number(account["available"]));
    expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
    const { body: few } = await call("GET", "/api/accounts?sort=available&limit=2");
    expect(few.data).toEqual(body.data.slice(0, 2));
    expect((await call("GET", "/api/accounts?sort=available&cursor=WyJhY21lIl0")).status).toBe(400);
  });

  test("concurrent creations of one id succeed once", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => (await call("POST", "/api/accounts", { id: "race", name: `n${at}` })).status),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });

  test("rejects invalid fields by name", async () => {
    const cases: [string, string, object, number, string, string | null][] = [
      ["POST", "/api/accounts", { id: "Big", name: "a" }, 400, "invalid_value", "id"],
      ["POST", "/api/accounts", { id: "a/b", name: "a" }, 400, "invalid_value", "id"],
      ["POST", "/api/accounts", { id: "-a", name: "a" }, 400, "invalid_value", "id"],
      ["POST", "/api/accounts", { id: "a".repeat(64), name: "a" }, 400, "invalid_value", "id"],
      ["POST", "/api/accounts", { name: "a" }, 400, "missing_required_parameter", "id"],
      ["POST", "/api/accounts", { id: "ok" }, 400, "missing_required_parameter", "name"],
      ["POST", "/api/accounts", { id: "ok", name: "a\u001b" }, 400, "invalid_value", "name"],
      ["POST", "/api/accounts", { id: "ok", name: "a", credit: "5" }, 400, "unsupported_parameter", "credit"],
      ["POST", "/api/accounts", { id: "ok", name: "a", caps: { week: "5" } }, 400, "unsupported_parameter", "caps.week"],
      ["POST", "/api/accounts", { id: "ok", name: "a", caps: { day: 5 } }, 400, "invalid_value", "caps.day"],
      ["POST", "/api/accounts", { id: "ok", name: "a", caps: { day: "-5" } }, 400, "invalid_value", "caps.day"],
      [
        "POST",
        "/api/accounts",
        { id: "ok", name: "a", limits: { requests_per_minute: 0 } },
        400,
        "invalid_value",
        "limits.requests_per_minute",
      ],
      ["PATCH", "/api/accounts/default", { id: "other" }, 400, "unsupported_parameter", "id"],
      ["PATCH", "/api/accounts/default", { name: "" }, 400, "invalid_value", "name"],
      ["PATCH", "/api/accounts/default", { limits: null }, 400, "invalid_value", "limits"],
      ["PATCH", "/api/accounts/default", { caps: { total: "1e3" } }, 400, "invalid_value", "caps.total"],
      ["PATCH", "/api/accounts/nobody", { name: "a" }, 404, "unknown_account", null],
      ["PATCH", "/api/keys/nobody", { name: "a" }, 404, "unknown_key", null],
    ];
    for (const [method, path, body, status, code, param] of cases) {
      const answer = await call(method, path, body);
      expect([path, body, answer.status, answer.body["code"], answer.body["param"]]).toEqual([path, body, status, code, param]);
    }
    expect((await call("GET", "/api/accounts/ok")).status).toBe(404);
  });

  test("limits and spend caps per end user and tag are replaced, kept and cleared field by field", async () => {
    const limits = { per_user: { requests_per_minute: 5 }, per_tag: { team: { tokens_per_minute: 7 } } };
    const caps = { per_user: { day: "0.1" }, per_tag: { team: { day: "5" }, env: { month: "9" } } };
    await call("POST", "/api/accounts", { id: "broken-down", name: "b", limits, caps });
    const patch = (changes: object): Promise<{ status: number; body: Record<string, unknown> }> =>
      call("PATCH", "/api/accounts/broken-down", changes);
    const changed = await patch({
      limits: { per_user: { concurrent_requests: 2 }, per_tag: null },
      caps: { per_user: { month: "2" }, per_tag: { team: null, env: { day: "1" } } },
    });
    expect(changed.body["limits"]).toMatchObject({
      per_user: { requests_per_minute: 5, tokens_per_minute: null, concurrent_requests: 2 },
      per_tag: null,
    });
    expect(changed.body["caps"]).toMatchObject({
      per_user: { day: "0.10", month: "2.00" },
      per_tag: { env: { day: "1.00", month: "9.00" } },
    });
    const off = await patch({ attribution: "off" });
    expect(off.status).toBe(400);
    expect(off.body).toMatchObject({ code: "invalid_value", param: "limits.per_user.requests_per_minute" });
    const cleared = await patch({ limits: { per_user: null }, caps: { per_user: { day: null, month: null }, per_tag: null } });
    expect(cleared.body["caps"]).toMatchObject({ per_user: null, per_tag: null });
    const made = await call("POST", "/api/keys", { name: "k", models: ["*"], account: "broken-down", caps: { per_user: { day: "1" } } });
    for (const query of ["", "?preview=true"]) {
      const rejected = await call("PATCH", `/api/accounts/broken-down${query}`, { attribution: "off" });
      expect([rejected.status, rejected.body]).toMatchObject([400, { code: "invalid_value", param: "attribution" }]);
    }
    const id = String(made.body["id"]);
    await call("PATCH", `/api/keys/${id}`, { caps: { per_user: null } });
    expect((await patch({ attribution: "off" })).status).toBe(200);
    const again = await call("PATCH", `/api/keys/${id}`, { limits: { per_tag: { team: { concurrent_requests: 1 } } } });
    expect(again.body).toMatchObject({ code: "invalid_value", param: "limits.per_tag" });
    for (const [unknown, param] of [
      [{ caps: { per_user: { total: "1" } } }, "caps.per_user.total"],
      [{ caps: { per_tag: { "a b": { day: "1" } } } }, "caps.per_tag"],
      [{ limits: { per_tag: { team: { day: "1" } } } }, "limits.per_tag.team.day"],
    ] as const) {
      expect((await patch(unknown)).body).toMatchObject({ param });
    }
  });

  test("an update replaces given fields, keeps omitted ones, and clears null ones", async () => {
    await call("POST", "/api/accounts", {
      id: "changing",
      name: "a",
      limits: { requests_per_minute: 1, tokens_per_minute: 2, concurrent_requests: 3 },
      caps: { day: "1", month: "2", total: "3.000000001" },
    });
    const changes = { limits: { requests_per_minute: 9, tokens_per_minute: null }, caps: { day: null, month: "7.25" } };
    const { status, body } = await call("PATCH", "/api/accounts/changing", changes);
    expect([status, body["name"], body["limits"], body["caps"]]).toEqual([
      200,
      "a",
      { ...viewRates(readRates({ requests_per_minute: 9, concurrent_requests: 3 })), per_user: null, per_tag: null },
      { day: null, month: "7.25", total: "3.000000001", per_user: null, per_tag: null },
    ]);
    expect((await call("PATCH", "/api/accounts/changing", { name: "b" })).body).toEqual({ ...body, name: "b" });
    expect((await call("PATCH", "/api/accounts/changing", {})).body).toEqual({ ...body, name: "b" });
  });
});

describe("keys", () => {
  test("an update of a key takes effect with the next request, and its record has its spend", async () => {
    const { id, key } = await fund(gateway, "key-changes");
    const usage = usageOf(10, 5);
    expect((await ask(gateway, key, "counted", usage)).status).toBe(200);
    const changed = await call("PATCH", `/api/keys/${id}`, { name: "new", models: ["broken"], caps: { total: "0.00002" } });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      {
        id,
        name: "new",
        account: "key-changes",
        models: ["broken"],
        held: "0.00",
        spent: { day: "0.00002", month: "0.00002", total: "0.00002" },
        caps: { day: null, month: null, total: "0.00002" },
      },
    ]);
    expect(await codeOf(await ask(gateway, key, "counted", usage))).toBe("model_not_allowed");
    await call("PATCH", `/api/keys/${id}`, { models: ["*"] });
    const broke = await ask(gateway, key, "counted", usage);
    expect([broke.status, await codeOf(broke)]).toEqual([402, "budget_exceeded"]);
    await call("PATCH", `/api/keys/${id}`, { caps: { total: null } });
    expect((await ask(gateway, key, "counted", usage)).status).toBe(200);
    const listed = (await call("GET", "/api/keys")).body.data.find((each) => each["id"] === id);
    expect(listed).toMatchObject({ name: "new", spent: { total: "0.00004" } });
  });

  test("a revoked key stays revoked, whatever is updated", async () => {
    const { id, key } = await fund(gateway, "key-revoked");
    await Promise.all([call("PATCH", `/api/keys/${id}`, { name: "x" }), call("DELETE", `/api/keys/${id}`)]);
    expect((await call("PATCH", `/api/keys/${id}`, { name: "y" })).body).toMatchObject({ active: false, name: "y" });
    expect((await ask(gateway, key, "counted", "{}")).status).toBe(401);
  });
});
