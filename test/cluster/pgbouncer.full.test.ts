import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import { hasPgBouncer } from "../support/postgres/find-pgbouncer.ts";
import { PgBouncer, type PgBouncerOptions } from "../support/postgres/start-pgbouncer.ts";
import { configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { billInFull, bodyFor, createKey } from "./billed-in-full.ts";
import { spendAllCredit } from "./spend-all-credit.ts";

const GATEWAYS = 2;
/**
 * In session mode each connection of a gateway has its own connection to the database: 11 per gateway. In transaction mode all of them
 * share a few.
 */
const MODES: readonly Omit<PgBouncerOptions, "target">[] = [
  { mode: "session", poolSize: GATEWAYS * 11 },
  { mode: "transaction", poolSize: 5 },
];

describe.skipIf(!hasPgBouncer).each(MODES)("two gateways on PostgreSQL behind PgBouncer in $mode mode", ({ mode, poolSize }) => {
  let upstream: MockUpstream;
  let cluster: Cluster;
  let pgBouncer: PgBouncer;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-quick": billInFull });
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["quick"]) });
    pgBouncer = await PgBouncer.start({ target: cluster.url, mode, poolSize });
    for (let started = 0; started < GATEWAYS; started++) await cluster.add({ env: { TOLLGATE_DATABASE_URL: pgBouncer.url } });
  });

  afterAll(async () => {
    await cluster?.stop();
    await pgBouncer?.stop();
    await upstream?.stop();
  });

  test("admit 10 of 200 parallel requests on credit for 10", () => spendAllCredit(cluster, upstream, "quick"));

  test("refuse a revoked key", async () => {
    const [first] = cluster.gateways;
    const { id, key } = await createKey(first!, "revoked", 10n ** 12n);
    const statuses = (): Promise<number[]> =>
      Promise.all(cluster.gateways.map(async (each) => (await postUntilVerified(() => postChat(each, key, bodyFor("quick")))).status));
    expect(await statuses()).toEqual(cluster.gateways.map(() => 200));
    await first!.platform("DELETE", `/api/keys/${id}`);
    await eventually(statuses, (all) => all.every((status) => status === 401));
  });
});
