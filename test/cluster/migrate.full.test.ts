import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { runTollgate, type Outcome } from "../support/gateway/run-tollgate.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { chatBody, postChat } from "../money/post-chat.ts";

const SECRETS = ["secret", "hash-secret", "operator-token"] as const;

/** What operators see. It must be the same before and after a move. */
interface View {
  readonly accounts: unknown;
  readonly keys: unknown;
  readonly people: unknown;
  readonly webhooks: unknown;
  readonly upstreams: unknown;
  readonly requests: unknown;
}

describe.skipIf(!hasPostgres)("a gateway that moves to PostgreSQL and back", () => {
  const gate = new Gate();
  let postgres: PostgresServer;
  let upstream: MockUpstream;
  let embedded: RunningGateway;
  let env: Record<string, string>;
  let key: string;
  let before: View;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    upstream = startMockUpstream({
      "up-quick": () => Response.json(completion({})),
      "up-created": () => Response.json(completion({})),
      "up-held": async () => {
        await gate.pass();
        return Response.json(completion({}));
      },
    });
    embedded = await startGateway({ yaml: configFor(upstream.baseUrl, ["quick", "held"]) });
    key = await use(embedded);
  });

  afterAll(async () => {
    gate.open();
    await embedded?.stop();
    await upstream?.stop();
    await postgres?.stop();
  });

  /** Writes data into every store. */
  async function use(gateway: RunningGateway): Promise<string> {
    await gateway.platform("POST", "/api/accounts", { id: "acme", name: "Acme", log_bodies: true, low_credit: "1000" });
    await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "12.5", reference: "first", reason: "for tests" });
    const created = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "app", models: ["*"], account: "acme" });
    await gateway.platform("POST", "/api/people", { email: "ada@example.test", name: "Ada", role: "operator" });
    const webhook = await gateway.platform<{ id: string }>("POST", "/api/webhooks", { name: "ops", url: "https://example.test/hook" });
    const settings = { dialect: "openai", base_url: upstream.baseUrl, allow_private: true, credential: "sealed-credential" };
    await gateway.platform("POST", "/api/upstreams", { id: "created", ...settings });
    const routes = [{ upstream: "created", model: "up-created" }];
    await gateway.platform("POST", "/api/models", { id: "created", routes, price: { input_per_million: 1, output_per_million: 2 } });
    for (const model of ["quick", "quick", "created"]) expect(await call(gateway, created.key, model)).toBe(200);
    // The gateway's requests are in the database, whatever happens to the gateway.
    await eventually(
      () => gateway.platform<{ data: unknown[] }>("GET", "/api/requests"),
      ({ data }) => data.length === 3,
    );
    // The credit of the account is low.
    await eventually(
      () => gateway.platform<{ data: unknown[] }>("GET", `/api/webhooks/${webhook.id}/deliveries`),
      ({ data }) => data.length > 0,
    );
    return created.key;
  }

  function migrate(args: readonly string[], more: Record<string, string>): Promise<Outcome> {
    return runTollgate(embedded, ["migrate", ...args], { env: more });
  }

  test("leaves nothing open and nothing secret on the terminal, and marks the folder", async () => {
    // A request in flight, whose gateway is killed: a start ends its hold.
    void postChat(embedded, key, chatBody("held", { max_tokens: 10 })).catch(() => undefined);
    await gate.holds(1);
    process.kill(embedded.pid, "SIGKILL");
    await embedded.end();
    const url = (await postgres.createDatabase()).reveal();
    const moved = await migrate(["--to-database"], { TOLLGATE_DATABASE_URL: url });
    expect([moved.code, moved.stderr]).toEqual([0, ""]);
    expect(moved.stdout).toMatch(/^alerts +1\n/m);
    expect(moved.stdout).toMatch(/^acme +9 +12\.49\d+ +0\.00\d+$/m);
    const data = join(embedded.folder, "data");
    const secrets = SECRETS.map((name) => readFileSync(join(data, name), "utf8").trim());
    for (const [at, name] of SECRETS.entries()) {
      expect(moved.stdout).toContain(`"$(cat '${join(data, name)}')"`);
      expect(moved.stdout).not.toContain(secrets[at]!);
    }
    env = {
      TOLLGATE_DATABASE_URL: url,
      TOLLGATE_SECRET: secrets[0]!,
      TOLLGATE_HASH_SECRET: secrets[1]!,
      TOLLGATE_OPERATOR_TOKEN: secrets[2]!,
    };
    const [started] = await Promise.allSettled([startGateway({ folder: embedded.folder })]);
    expect(String((started as PromiseRejectedResult).reason)).toContain("was moved to a PostgreSQL database");
  });

  test("serves the same keys, credit and credentials in a cluster", async () => {
    const yaml = configFor(upstream.baseUrl, ["quick", "held"]);
    const cluster = await Promise.all([startGateway({ yaml, env }), startGateway({ yaml, env })]);
    try {
      const [first, second] = cluster;
      expect(await viewOf(first)).toMatchObject({
        keys: [{ name: "app", account: "acme" }],
        people: [{ email: "ada@example.test" }],
        webhooks: [{ name: "ops" }],
        requests: [{ model: "created" }, { model: "quick" }, { model: "quick" }],
      });
      expect(await first.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
      for (const gateway of cluster) expect([await call(gateway, key, "quick"), await call(gateway, key, "created")]).toEqual([200, 200]);
      // New IDs follow the IDs that were moved.
      await second.platform("POST", "/api/keys", { name: "later", models: ["*"], account: "acme" });
      await second.platform("POST", "/api/accounts/acme/grants", { amount: "1", reference: "second", reason: "for tests" });
      const refused = await migrate(["--to-folder", join(embedded.folder, "back")], env);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/have not ended in the ledger: .* \(live\), .* \(live\)/)]);
      await Promise.all(cluster.map((gateway) => gateway.end()));
    } finally {
      await Promise.all(cluster.map((gateway) => gateway.stop()));
    }
    // All data is in the database, not in the memory of a gateway.
    const again = await startGateway({ yaml, env });
    try {
      before = await viewOf(again);
      await again.end();
    } finally {
      await again.stop();
    }
  });

  test("comes back with all that was done there", async () => {
    const back = join(embedded.folder, "back");
    const moved = await migrate(["--to-folder", back, "--json"], env);
    expect([moved.code, moved.stderr]).toEqual([0, ""]);
    expect(JSON.parse(moved.stdout)).toMatchObject({ to: back, tables: { keys: 2, people: 1 }, request_log: { requests: 7 } });
    const { TOLLGATE_DATABASE_URL: url, ...secrets } = env;
    const [again] = await Promise.allSettled([startGateway({ folder: embedded.folder, env })]);
    expect(String((again as PromiseRejectedResult).reason)).toContain(`was moved to the folder ${back}`);
    expect(url).toBeDefined();
    const yaml = configFor(upstream.baseUrl, ["quick", "held"]);
    const gateway = await startGateway({ yaml, env: { ...secrets, TOLLGATE_DATA: back } });
    try {
      expect(await viewOf(gateway)).toEqual(before);
      expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
      expect([await call(gateway, key, "quick"), await call(gateway, key, "created")]).toEqual([200, 200]);
    } finally {
      await gateway.stop();
    }
  });
});

async function call(gateway: RunningGateway, secret: string, model: string): Promise<number> {
  return (await postUntilVerified(() => postChat(gateway, secret, chatBody(model, { max_tokens: 10 })))).status;
}

async function viewOf(gateway: RunningGateway): Promise<View> {
  const list = async (path: string): Promise<unknown> => (await gateway.platform<{ data: unknown }>("GET", path)).data;
  return {
    accounts: await list("/api/accounts"),
    keys: await list("/api/keys"),
    people: await list("/api/people"),
    webhooks: await list("/api/webhooks"),
    upstreams: await list("/api/upstreams"),
    requests: await list("/api/requests"),
  };
}
