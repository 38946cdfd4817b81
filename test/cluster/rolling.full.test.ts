import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Migration } from "kysely/migration";
import { sql } from "kysely";
import type { InstanceList } from "../../platform-client/types.ts";
import type { Secret } from "../../src/lib/secret/secret.ts";
import { migratePostgres, POSTGRES_MIGRATIONS } from "../../src/stores/migrations/migrate.ts";
import { ChangeFeed } from "../../src/stores/postgres/change-feed.ts";
import { PostgresDatabase } from "../../src/stores/postgres/postgres-database.ts";
import { PostgresPool } from "../../src/stores/postgres/postgres-pool.ts";
import { Gate } from "../money/gate.ts";
import { endsIn, type LedgerRow } from "../money/ledger-of.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { LoadBalancer } from "../support/gateway/load-balancer.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { runTollgate } from "../support/gateway/run-tollgate.ts";
import { SHARED_SECRETS, startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import {
  completion,
  configFor,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  type MockUpstream,
} from "../support/upstreams/mock-upstream.ts";
import { settledLedger } from "./cluster-ledger.ts";
import { postTo, SteadyLoad } from "./steady-load.ts";

const STREAMS = 6;

/** A later version: it adds columns and tables, as a migration may do while processes of the previous version run. */
const NEWER = "9999-newer";
/** The tables in the order in which shipments and changes lock them: two transactions that wait for each other would be a deadlock. */
const ALTERED = ["instances", "instance_status", "purses", "leases", "entries", "accounts", "keys", "models", "upstreams", "changes"];
const newer: Migration = {
  async up(database) {
    for (const table of ALTERED) await sql`alter table ${sql.table(table)} add column added_later text`.execute(database);
    await sql`create table added_later (id text primary key)`.execute(database);
  },
};

describe.skipIf(!hasPostgres)("two gateways behind a load balancer", () => {
  const gate = new Gate();
  /** The IDs of all requests, which must be in the ledger. */
  const completed: string[] = [];
  let upstream: MockUpstream;
  let cluster: Cluster;
  let balancer: LoadBalancer;
  /** The running gateways. */
  const running: RunningGateway[] = [];
  let key: string;

  beforeAll(async () => {
    upstream = startMockUpstream({
      async "up-quick"() {
        await Bun.sleep(Math.random() * 10);
        return Response.json(completion());
      },
      "up-streamed": stream,
    });
    cluster = await startCluster(2, {
      yaml: configFor(upstream.baseUrl, ["quick", "streamed"]),
      // Long limits: this test is not about a machine that stalls, or about streams that end one after the other.
      env: { TOLLGATE_ADMIT_SECONDS: "120", TOLLGATE_DRAIN_SECONDS: "120" },
    });
    running.push(...cluster.gateways);
    balancer = await LoadBalancer.start();
    for (const gateway of running) balancer.add(gateway);
    ({ key } = await running[0]!.makeKey());
  });

  afterAll(async () => {
    gate.open();
    await balancer?.stop();
    await cluster?.stop();
    await upstream?.stop();
  });

  /** Sends the first word at once, and the rest when the gate opens. */
  function stream(): Response {
    const { stream: body, write, end } = manualStream();
    const [first, ...rest] = [...GOOD_CHUNKS, "[DONE]"].map((event) => `data: ${event}\n\n`);
    write(first!);
    async function finish(): Promise<void> {
      await gate.pass();
      write(rest.join(""));
      end();
    }
    void finish();
    return rawEvents(body);
  }

  /** Opens streams, half of them through the load balancer, and half of them directly at this gateway. */
  async function openStreams(gateway: RunningGateway): Promise<Promise<string>[]> {
    const opened: Promise<string>[] = [];
    while (opened.length < STREAMS) {
      const body = chatBody("streamed", { stream: true, max_tokens: 10 });
      const { baseUrl } = opened.length < STREAMS / 2 ? balancer : gateway;
      const response = await postTo(`${baseUrl}/chat/completions`, key, body);
      expect(response.status).toBe(200);
      completed.push(response.headers.get("x-request-id")!);
      opened.push(response.text());
    }
    await gate.holds(STREAMS);
    return opened;
  }

  async function allReady(): Promise<void> {
    await eventually(
      () => running.map((gateway) => balancer.isReady(gateway)),
      (ready) => ready.every(Boolean),
    );
  }

  /** Drains a gateway while it streams, and starts it again. Returns the complete streams. */
  async function restart(gateway: RunningGateway, load: SteadyLoad): Promise<string[]> {
    await allReady();
    gate.close();
    const streams = await openStreams(gateway);
    // Like the preStop hook of a pod: connections that wait to be accepted when a listener closes are reset.
    balancer.remove(gateway);
    await load.continues();
    const ended = gateway.end();
    await untilRefused(gateway);
    await load.continues();
    gate.open();
    const texts = await Promise.all(streams);
    await ended;
    const next = await cluster.add({ folder: gateway.folder });
    running[running.indexOf(gateway)] = next;
    balancer.add(next);
    await eventually(
      () => balancer.acceptedBy(next),
      (accepted) => accepted > 10,
    );
    await load.continues();
    return texts;
  }

  /** Ends the load. Every request must be completed, and charged once. */
  async function expectComplete(load: SteadyLoad): Promise<void> {
    await load.stop();
    completed.push(...load.completed);
    expect(load.failed).toEqual([]);
    const rows = await eventually(
      () => settledLedger(cluster),
      (all) => all.filter(isCharge).length >= completed.length,
    );
    const ends = endsIn(rows);
    expect(completed.filter((id) => ends.get(id)?.kind !== "settle")).toEqual([]);
    expect(ends.size).toBe(completed.length);
    expect(await running[0]!.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  }

  test("are restarted in turn without a failed request, a cut stream or a lost charge", async () => {
    await allReady();
    const load = new SteadyLoad(balancer.baseUrl, key, "quick");
    await load.continues();
    for (const gateway of running.slice()) {
      for (const text of await restart(gateway, load)) {
        expect(text).toContain(" world");
        expect(text).toEndWith("data: [DONE]\n\n");
      }
    }
    await expectComplete(load);
    const { data } = await running[0]!.platform<InstanceList>("GET", "/api/instances");
    expect(data.map(({ pid, state }) => `${pid} ${state}`).toSorted()).toEqual(running.map(({ pid }) => `${pid} live`).toSorted());
  });

  test("serve without a failed request while a newer version migrates the tables, and start on them", async () => {
    await allReady();
    const [first, second] = running as [RunningGateway, RunningGateway];
    const load = new SteadyLoad(balancer.baseUrl, key, "quick");
    await load.continues();
    await use(first, second, "before");
    await migrateTo(cluster.url, { ...POSTGRES_MIGRATIONS, [NEWER]: newer });
    await load.continues();
    await use(first, second, "after");
    await use(second, first, "again");
    const { stdout } = await runTollgate(first, ["preflight"], { env: environmentOf(cluster.url) });
    expect(stdout).toContain(`none is pending; ${NEWER} of a newer version stay as they are`);
    await restart(first, load);
    await expectComplete(load);
  });

  const [last, ...earlier] = Object.keys(POSTGRES_MIGRATIONS).toReversed();

  // Before the second migration, no version has different tables.
  test.skipIf(earlier.length === 0)("are started on the tables of the previous version, after a preflight", async () => {
    const url = await cluster.postgres.createDatabase();
    const { [last!]: _newest, ...older } = POSTGRES_MIGRATIONS;
    await migrateTo(url, older);
    const env = environmentOf(url);
    const before = await runTollgate(running[0]!, ["preflight"], { env });
    expect([before.code, before.stdout]).toEqual([
      0,
      expect.stringContaining("1 pending, safe while processes of the previous version run"),
    ]);
    const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["quick"]), env });
    try {
      const reported = await eventually(
        () => gateway.logLines().filter(({ event }) => event === "storage_migrated"),
        ({ length }) => length > 0,
      );
      expect(reported).toMatchObject([{ message: `migrations applied: ${last}` }]);
      const { key: own } = await gateway.makeKey();
      expect((await postUntilVerified(() => postChat(gateway, own, chatBody("quick")))).status).toBe(200);
      expect((await runTollgate(gateway, ["preflight"], { env })).stdout).toContain("none is pending");
    } finally {
      await gateway.stop();
    }
  });
});

async function untilRefused({ baseUrl }: RunningGateway): Promise<void> {
  await eventually(
    () =>
      fetch(new URL("/readyz", baseUrl), { keepalive: false }).then(
        ({ status }) => status,
        () => "refused",
      ),
    (seen) => seen === "refused",
  );
}

/** Changes and reads records in one gateway that the other gateway has in memory. */
async function use(one: RunningGateway, other: RunningGateway, name: string): Promise<void> {
  await one.platform("POST", "/api/accounts", { id: name, name });
  await one.platform("POST", `/api/accounts/${name}/grants`, { amount: "1", reference: name, reason: "for tests" });
  const { id } = await one.platform<{ id: string }>("POST", "/api/keys", { name, models: ["*"], account: name });
  await eventually(
    () => other.platform<{ data: { id: string }[] }>("GET", "/api/keys"),
    ({ data }) => data.some((each) => each.id === id),
  );
  await other.platform("DELETE", `/api/keys/${id}`);
  for (const path of [
    "/api/audit-log",
    "/api/accounts",
    "/api/models",
    "/api/upstreams",
    "/api/instances",
    "/api/usage",
    "/api/requests",
  ]) {
    for (const gateway of [one, other]) await gateway.platform("GET", path);
  }
}

/** Migrates like the start of a version with these migrations. */
async function migrateTo(url: Secret, migrations: Readonly<Record<string, Migration>>): Promise<void> {
  const pool = new PostgresPool({ url, maxConnections: 2, timeoutMs: 60_000 });
  const database = new PostgresDatabase(pool, new ChangeFeed({ pool, monotonicMs: () => 0, report: () => undefined }));
  try {
    await migratePostgres(database, migrations);
  } finally {
    await database.destroy();
  }
}

function environmentOf(url: Secret): Record<string, string> {
  return { ...SHARED_SECRETS, TOLLGATE_DATABASE_URL: url.reveal() };
}

function isCharge({ kind }: LedgerRow): boolean {
  return kind === "settle";
}
