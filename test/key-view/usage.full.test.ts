import { viewLimits } from "../../src/gateway/key-view/key-view.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findViolation } from "../../src/lib/schema/schema.ts";
import { modelListSchema } from "../../src/gateway/model-list.ts";
import { nanosOf } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { startProcesses } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { ask, fund, startMoneyUpstream, usageOf, type MoneyUpstream } from "../support/upstreams/money-upstream.ts";

interface Measures {
  readonly requests: number;
  readonly failed: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

interface KeyView {
  readonly key: { readonly id: string; readonly name: string };
  readonly today: Measures;
  readonly this_month: Measures;
  readonly by_model: readonly { readonly model: string; readonly today: Measures; readonly this_month: Measures }[];
  readonly by_tag: readonly { readonly tag: string; readonly value: string; readonly today: Measures; readonly this_month: Measures }[];
  readonly credit: string | null;
  readonly caps: readonly Record<string, string | null>[];
  readonly limits: { readonly requests: { readonly limit: number; readonly remaining: number } | null; readonly tokens: unknown };
  readonly settings: { readonly key: { readonly limits: object; readonly caps: object }; readonly account: object | null };
  readonly concurrent_requests: number | null;
  readonly recent_requests: readonly Record<string, unknown>[];
}

interface ModelList {
  readonly data: readonly { readonly id: string }[];
  readonly usage?: KeyView;
}

function list(gateway: RunningGateway, key: string, headers: Record<string, string> = { "x-usage": "1" }): Promise<Response> {
  return fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}`, ...headers } });
}

function chat(gateway: RunningGateway, key: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-tollgate-tags": "team=search", ...headers },
    body: JSON.stringify({ model: "counted", messages: [{ role: "user", content: "x" }] }),
  });
}

async function viewOf(gateway: RunningGateway, key: string): Promise<KeyView> {
  const response = await list(gateway, key);
  expect(response.status).toBe(200);
  return ((await response.json()) as ModelList).usage!;
}

/** Retries a request, like SDKs do, while processes do not respond to each other in time. */
async function verified(send: () => Promise<Response>): Promise<Response> {
  const { reply } = await postUntilVerified(async () => {
    const response = await send();
    return { reply: response, status: response.status, headers: response.headers, text: await response.clone().text() };
  });
  return reply;
}

interface StartedGateway {
  readonly gateway: RunningGateway;
  stop(): Promise<void>;
}

const alone = async (starting: Promise<RunningGateway>): Promise<StartedGateway> => {
  const gateway = await starting;
  return { gateway, stop: () => gateway.stop() };
};

/** The three deployments. */
const DEPLOYMENTS: readonly (readonly [name: string, canRun: boolean, start: (yaml: string) => Promise<StartedGateway>])[] = [
  ["one process", true, (yaml) => alone(startGateway({ yaml }))],
  ["gateway processes", true, (yaml) => alone(startProcesses({ yaml }, 2))],
  [
    "gateway processes on PostgreSQL",
    hasPostgres,
    async (yaml) => {
      const cluster = await startCluster(1, { yaml, env: { TOLLGATE_PROCESSES: "2" } });
      return { gateway: cluster.gateways[0]!, stop: () => cluster.stop() };
    },
  ],
];

for (const [name, canRun, start] of DEPLOYMENTS) {
  describe.skipIf(!canRun)(`the key holder's view with ${name}`, () => {
    let upstream: MoneyUpstream;
    let started: StartedGateway;
    let gateway: RunningGateway;

    beforeAll(async () => {
      upstream = startMoneyUpstream();
      started = await start(upstream.yaml);
      ({ gateway } = started);
    });

    afterAll(async () => {
      await started?.stop();
      await upstream?.stop();
    });

    test("has the usage of the key by model, its credit, caps, limits and last requests, and nothing of other keys", async () => {
      const { id, key } = await fund(gateway, "acme", "10");
      await gateway.platform("PATCH", "/api/accounts/acme", { caps: { day: "8" }, limits: { concurrent_requests: 40 } });
      await gateway.platform("PATCH", `/api/keys/${id}`, { caps: { month: "5" }, limits: { requests_per_minute: 500 } });
      const other = await gateway.platform<{ id: string; key: string }>("POST", "/api/keys", {
        name: "secret-neighbour",
        account: "acme",
        models: ["*"],
      });
      const statuses = [
        await verified(() => ask(gateway, key, "counted", usageOf(100, 20))),
        await verified(() => ask(gateway, key, "counted", usageOf(10, 2))),
        await verified(() => ask(gateway, key, "gratis", usageOf(5, 5))),
        await verified(() => ask(gateway, key, "broken", "x")),
        await verified(() => ask(gateway, key, "nowhere", "x")),
        await verified(() => ask(gateway, other.key, "counted", usageOf(1000, 1))),
      ].map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 200, 502, 403, 200]);

      const response = await list(gateway, key);
      const text = await response.text();
      const body = JSON.parse(text) as ModelList;
      expect(findViolation(modelListSchema, body)).toBeUndefined();
      expect(body.data.map((model) => model.id)).toContain("counted");
      expect(text).not.toContain(other.id);
      expect(text).not.toContain("secret-neighbour");

      // Charges that another process has not shipped yet arrive a moment later.
      const cost = 100 * 1000 + 20 * 2000 + (10 * 1000 + 2 * 2000);
      const otherCost = 1000 * 1000 + 2000;
      const available = 10_000_000_000n - BigInt(cost + otherCost);
      const view = await eventually(
        () => viewOf(gateway, key),
        (seen) => seen.today.failed === 1 && nanosOf(seen.credit!) === available && seen.recent_requests.length === 5,
        { everyMs: 2500 },
      );
      const total = { requests: 3, failed: 1, prompt_tokens: 115, completion_tokens: 27 };
      expect(view).toMatchObject({
        key: { id, name: "acme" },
        today: total,
        this_month: total,
        limits: { requests: { limit: 500 }, tokens: null },
        concurrent_requests: 40,
      });
      expect([nanosOf(view.today.cost), nanosOf(view.this_month.cost)]).toEqual([BigInt(cost), BigInt(cost)]);
      expect(view.limits.requests!.remaining).toBeLessThan(500);
      expect(view.by_model.map(({ model, today }) => [model, today.requests, today.failed, today.prompt_tokens])).toEqual([
        ["broken", 0, 1, 0],
        ["counted", 2, 0, 110],
        ["gratis", 1, 0, 5],
      ]);
      expect(view.caps.map(({ scope, period, cap, remaining }) => [scope, period, cap, nanosOf(remaining!)])).toEqual([
        ["key", "month", "5.00", 5_000_000_000n - BigInt(cost)],
        ["account", "day", "8.00", 8_000_000_000n - BigInt(cost + otherCost)],
      ]);
      // The processes write requests to the log in any order.
      const recent = view.recent_requests.map((each) => [each["model"], each["status"], each["prompt_tokens"], each["cost"]].join());
      expect(new Set(recent)).toEqual(
        new Set(["nowhere,403,,", "broken,502,,", "gratis,200,5,0.00", "counted,200,10,0.000014", "counted,200,100,0.00014"]),
      );
      expect(text).not.toContain("mock");
    });

    test("has the usage of the key by tag, also in a dry run, and no tags of other keys", async () => {
      const { key } = await fund(gateway, "tagged", "10");
      const other = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "other", account: "tagged", models: ["*"] });
      const send = async (as: string, tags: string | undefined, promptTokens: number): Promise<void> => {
        const headers = tags === undefined ? undefined : { "x-tollgate-tags": tags };
        expect((await verified(() => ask(gateway, as, "counted", usageOf(promptTokens, 0), {}, headers))).status).toBe(200);
      };
      await send(key, "team=search,env=prod", 10);
      await send(key, "team=search", 20);
      await send(key, "team=ads", 400);
      await send(key, undefined, 3);
      await send(other.key, "team=hidden-value,hidden-tag=x", 7);
      const view = await eventually(
        () => viewOf(gateway, key),
        (seen) => seen.today.requests === 4,
        { everyMs: 2500 },
      );
      const expected = [
        ["env", "none", 3, 3, 423],
        ["env", "prod", 1, 1, 10],
        ["team", "ads", 1, 1, 400],
        ["team", "search", 2, 2, 30],
        ["team", "none", 1, 1, 3],
      ];
      const seen = ({ by_tag: rows }: Pick<KeyView, "by_tag">): unknown[] =>
        rows.map(({ tag, value, today, this_month: month }) => [tag, value, today.requests, month.requests, month.prompt_tokens]);
      expect(seen(view)).toEqual(expected);
      expect(view.by_tag.map(({ this_month: month }) => nanosOf(month.cost))).toEqual([423_000n, 10_000n, 400_000n, 30_000n, 3000n]);
      expect(JSON.stringify(view)).not.toContain("hidden-");
      const dryRun = await ask(gateway, key, "counted", "x", {}, { "x-dry-run": "1" });
      expect(seen(((await dryRun.json()) as { usage: KeyView }).usage)).toEqual(expected);
    });

    test("has the limits and spend caps of each end user and tag, as they are set", async () => {
      const { id, key } = await fund(gateway, "parts", "10");
      await gateway.platform("PATCH", "/api/accounts/parts", { caps: { per_tag: { team: { day: "5" } } } });
      await gateway.platform("PATCH", `/api/keys/${id}`, { limits: { per_user: { requests_per_minute: 20 } } });
      const { caps, limits, settings } = await eventually(
        () => viewOf(gateway, key),
        (seen) => JSON.stringify(seen.settings).includes('"per_user":{"requests_per_minute":20'),
        { everyMs: 2500 },
      );
      expect([caps, limits] as object[]).toEqual([[], viewLimits({})]);
      expect(settings).toMatchObject({
        key: { limits: { requests_per_minute: null, per_user: { requests_per_minute: 20 }, per_tag: null }, caps: { per_user: null } },
        account: { limits: { per_user: null }, caps: { day: null, per_tag: { team: { day: "5.00", month: null } } } },
      });
      await gateway.platform("PATCH", "/api/accounts/parts", { show_credit: false });
      const hidden = await eventually(
        () => viewOf(gateway, key),
        (seen) => seen.credit === null,
        { everyMs: 2500 },
      );
      expect(hidden.settings).toMatchObject({ key: { limits: { per_user: { requests_per_minute: 20 } } }, account: null });
    });

    test("hides credit and spend caps of an account that does not show them, also in a dry run", async () => {
      const { id, key } = await fund(gateway, "discreet", "10");
      await gateway.platform("PATCH", "/api/accounts/discreet", {
        show_credit: false,
        caps: { day: "8", per_user: { day: "3" }, per_tag: { team: { month: "0.000001" } } },
      });
      await gateway.platform("PATCH", `/api/keys/${id}`, { caps: { total: "5", per_user: { day: "4" } } });
      const { credit, caps } = await eventually(
        () => viewOf(gateway, key),
        (seen) => seen.credit === null && seen.caps.length === 1,
        { everyMs: 2500 },
      );
      expect([credit, caps.map(({ scope, cap }) => [scope, cap])]).toEqual([null, [["key", "5.00"]]]);
      const dryRun = await chat(gateway, key, { "x-dry-run": "1" });
      const report = (await dryRun.json()) as { headroom: { credit: string | null; budgets: { name: string }[] }; usage: unknown };
      expect(report.headroom.credit).toBeNull();
      expect(report.headroom.budgets.map((budget) => budget.name)).toEqual([
        "the total spend cap of this key",
        "the daily spend cap of requests without an end user on this key",
      ]);
      const rejected = await verified(() => chat(gateway, key));
      expect([rejected.status, await rejected.text()]).toEqual([
        402,
        expect.stringMatching(/the monthly spend cap of the tag team=search on this account has too little left\./),
      ]);
      expect(report.usage).toMatchObject({ today: { requests: 0, cost: "0.00" }, this_month: { requests: 0 }, by_model: [], by_tag: [] });
    });

    test("is limited to 30 reports a minute for each key; the list without it, requests and dry runs are not", async () => {
      const { key } = await fund(gateway, "curious", "10");
      for (const dryRun of await Promise.all(Array.from({ length: 5 }, () => chat(gateway, key, { "x-dry-run": "1" })))) {
        expect(await dryRun.json()).toMatchObject({ status: 200, usage: { by_model: [] } });
      }
      const responses = await Promise.all(Array.from({ length: 33 }, () => list(gateway, key)));
      const counts = Map.groupBy(responses, ({ status }) => status);
      expect([counts.get(200)?.length, counts.get(429)?.length]).toEqual([30, 3]);
      const refused = counts.get(429)![0]!;
      expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 60);
      expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded", type: "rate_limit_error" } });
      const plain = await list(gateway, key, {});
      expect([plain.status, ((await plain.json()) as ModelList).usage]).toEqual([200, undefined]);
      expect((await ask(gateway, key, "gratis", usageOf(1, 1))).status).toBe(200);
    });
  });
}

describe("an invalid key", () => {
  let gateway: RunningGateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());

  test("receives the same 401 with and without x-usage", async () => {
    const { id, key } = await gateway.makeKey();
    await gateway.platform("DELETE", `/api/keys/${id}`);
    const keys = [key, `${key.slice(0, -1)}x`, "sk-service-nonsense", "", "\u00e4"];
    const sent = keys.flatMap((each) => [list(gateway, each), list(gateway, each, {}), list(gateway, each, { "x-usage": "maybe" })]);
    const replies = await Promise.all((await Promise.all(sent)).map(async (reply) => [reply.status, await reply.text()] as const));
    expect(new Set(replies.map(([status]) => status))).toEqual(new Set([401]));
    expect(new Set(replies.map(([, text]) => text)).size).toBe(1);
  });

  test("a valid one with another value of the header receives a 400", async () => {
    const { key } = await gateway.makeKey();
    const reply = await list(gateway, key, { "x-usage": "maybe" });
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { code: "invalid_value", param: "x-usage" } }]);
  });
});
