import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Secret } from "../../src/lib/secret/secret.ts";
import { Gate } from "../money/gate.ts";
import { postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { PartitionProxy } from "../support/postgres/partition-proxy.ts";
import type { PostgresServer } from "../support/postgres/start-postgres.ts";
import {
  configFor,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  type MockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { billInFull, bodyFor, createKey, holdOf } from "./billed-in-full.ts";
import { chargesOf, ledgerOf } from "./cluster-ledger.ts";
import { callUntilGone, type CompletedReply } from "./completed-replies.ts";

const CALLERS = 8;
const COMPLETED = 100;

async function statusOf(gateway: RunningGateway, key: string): Promise<number> {
  return (await postUntilVerified(() => postChat(gateway, key, bodyFor("quick")))).status;
}

/** Why a change is rejected; undefined if it is accepted. */
async function rejectedChange(gateway: RunningGateway): Promise<string | undefined> {
  const [change] = await Promise.allSettled([gateway.platform("POST", "/api/accounts", { id: "late", name: "late" })]);
  return change.status === "rejected" ? String(change.reason) : undefined;
}

describe.skipIf(!hasPostgres)("gateways with durability cluster on PostgreSQL with a synchronous standby", () => {
  const gate = new Gate();
  let upstream: MockUpstream;
  let cluster: Cluster;
  let standby: PostgresServer;
  /** The address of the database, which leads to the primary server. */
  let address: PartitionProxy;
  let survivors: readonly RunningGateway[];
  /** This gateway is killed together with the primary server, and loses its data folder. */
  let killed: RunningGateway;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-held": answer, "up-quick": answer });
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["held", "quick"]) });
    standby = await cluster.postgres.startStandby();
    address = await PartitionProxy.start(cluster.postgres.port);
    const env = { TOLLGATE_DATABASE_URL: urlOn(address), TOLLGATE_DURABILITY: "cluster" };
    const first = await cluster.add({ env });
    const [second, third] = await Promise.all([cluster.add({ env }), cluster.add({ env })]);
    survivors = [first, second];
    killed = third;
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await address?.stop();
    await standby?.stop();
    await upstream?.stop();
  });

  async function answer(request: RecordedRequest): Promise<Response> {
    if (request.body["model"] === "up-held") await gate.pass();
    return request.body["stream"] === true ? events(GOOD_CHUNKS) : billInFull(request);
  }

  function urlOn({ port }: { readonly port: number }): string {
    const url = new URL(cluster.url.reveal());
    url.port = String(port);
    return url.href;
  }

  test("lose nothing when the primary is killed and the standby is promoted", async () => {
    const [first] = survivors as [RunningGateway];
    const { key } = await createKey(first, "busy", 10n ** 12n);
    const revoked = await createKey(first, "revoked", 10n ** 12n);
    for (const gateway of survivors) expect(await statusOf(gateway, revoked.key)).toBe(200);
    const completed: CompletedReply[] = [];
    const calling = Array.from({ length: CALLERS }, () => callUntilGone(killed, key, "quick", completed));
    await eventually(
      () => completed.length,
      (count) => count >= COMPLETED,
    );
    const inFlight = survivors.map((gateway) => postUntilVerified(() => postChat(gateway, key, bodyFor("held"))));
    await gate.holds(survivors.length);
    await first.platform("DELETE", `/api/keys/${revoked.id}`);
    await cluster.postgres.kill();
    process.kill(killed.pid, "SIGKILL");
    await Promise.all(calling);
    rmSync(join(killed.folder, "data"), { recursive: true });

    address.redirect(standby.port);
    gate.open();
    for (const gateway of survivors) {
      await eventually(
        () => rejectedChange(gateway),
        (message) => message?.includes("read-only") === true,
      );
    }
    await standby.promote();

    const replies = await Promise.all(inFlight);
    expect(replies.map(({ status }) => status)).toEqual(survivors.map(() => 200));
    for (const gateway of survivors) {
      expect(await statusOf(gateway, key)).toBe(200);
      await eventually(
        () => statusOf(gateway, revoked.key),
        (status) => status === 401,
      );
    }
    const rows = await ledgerOf({ url: new Secret(urlOn(standby)) });
    expect(completed.filter(({ requestId, nanos }) => chargesOf(requestId, rows).join() !== String(nanos))).toEqual([]);
    for (const { requestId } of replies) expect(chargesOf(requestId, rows)).toEqual([holdOf("held")]);
    expect(await first.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });
});
