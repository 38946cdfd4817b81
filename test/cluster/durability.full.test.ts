import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Instance, InstanceList } from "../../platform-client/types.ts";
import { Gate } from "../money/gate.ts";
import { nanosOf } from "../money/ledger-of.ts";
import { postChat, type Reply } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import {
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  type MockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { bodyFor, createKey, holdOf } from "./billed-in-full.ts";
import { chargesOf, ledgerOf } from "./cluster-ledger.ts";
import { callUntilGone, type CompletedReply } from "./completed-replies.ts";
import { passAMinute } from "./pass-a-minute.ts";

const CALLERS = 16;
const COMPLETED = 400;
/** The hold of both models: their names have the same length. */
const HOLD = holdOf("quick");

function postHeld(gateway: RunningGateway, key: string): Promise<Reply> {
  return postUntilVerified(() => postChat(gateway, key, bodyFor("held0")));
}

describe.skipIf(!hasPostgres)("gateways with durability cluster on one PostgreSQL database", () => {
  const gate = new Gate();
  let upstream: MockUpstream;
  let cluster: Cluster;
  /** Serves only model clients. It starts first, and leads every job that it may lead. */
  let leader: RunningGateway;
  let firstJobs: readonly string[];
  let survivor: RunningGateway;
  let killed: RunningGateway;
  /** A gateway with `durability: process`. */
  let stranding: RunningGateway;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-held0": answer, "up-quick": answer });
    const env = { TOLLGATE_DURABILITY: "cluster" };
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["held0", "quick"]), env });
    leader = await cluster.add({ env: { ...env, TOLLGATE_ROLE: "gateway" } });
    firstJobs = await eventually(leaders, ({ length }) => length > 0);
    survivor = await cluster.add();
    killed = await cluster.add();
    stranding = await cluster.add({ env: { TOLLGATE_DURABILITY: "process" } });
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await upstream?.stop();
  });

  async function answer({ body }: RecordedRequest): Promise<Response> {
    if (body["model"] === "up-held0") await gate.pass();
    return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion());
  }

  /** The jobs that have a leader. */
  async function leaders(): Promise<readonly string[]> {
    const sql = new SQL(cluster.url.reveal(), { max: 1 });
    try {
      return (await sql<{ job: string }[]>`select job from leaders`).map(({ job }) => job);
    } finally {
      await sql.close();
    }
  }

  async function keyWith(account: string, nanos: bigint): Promise<string> {
    return (await createKey(survivor, account, nanos)).key;
  }

  async function instanceOf({ pid }: RunningGateway): Promise<Instance | undefined> {
    return (await survivor.platform<InstanceList>("GET", "/api/instances")).data.find((each) => each.pid === pid);
  }

  test("a process that serves model clients alone does not lead the alerts, which it never evaluates", async () => {
    expect(firstJobs).toEqual(["ledger"]);
    await eventually(leaders, (jobs) => jobs.includes("alerts"));
  });

  test("a killed process without its data folder has lost no completed reply, and is written off by itself", async () => {
    const key = await keyWith("busy", 10n ** 12n);
    const tight = { killed: await keyWith("tight", HOLD), stranding: await keyWith("kept", HOLD) };
    const lost = [killed, stranding].map(
      async (gateway) =>
        (await eventually(
          () => instanceOf(gateway),
          (found) => found !== undefined,
        ))!.id,
    );
    const [killedId, strandingId] = await Promise.all(lost);
    const held = [postHeld(killed, tight.killed), postHeld(stranding, tight.stranding)];
    const cut = Promise.allSettled(held);
    await gate.holds(2);
    for (const gateway of [killed, stranding]) {
      await eventually(
        () => instanceOf(gateway),
        (instance) => instance!.open_holds! > 0,
      );
    }

    const completed: CompletedReply[] = [];
    const calling = Array.from({ length: CALLERS }, () => callUntilGone(killed, key, "quick", completed));
    await eventually(
      () => completed.length,
      (count) => count >= COMPLETED,
    );
    for (const { pid } of [killed, stranding]) process.kill(pid, "SIGKILL");
    await Promise.all([...calling, cut]);
    for (const { folder } of [killed, stranding]) rmSync(join(folder, "data"), { recursive: true });
    const rows = await ledgerOf(cluster);
    const wrong = completed.filter(({ requestId, nanos }) => chargesOf(requestId, rows).join() !== String(nanos));
    expect(wrong).toEqual([]);

    await passAMinute(cluster);
    // A lease of the killed process has all of this credit: the request is rejected with 503 until the process is written off.
    const reply = await postUntilVerified(() => postChat(leader, tight.killed, bodyFor("quick")));
    expect(reply.status).toBe(200);
    expect(await instanceOf(killed)).toBeUndefined();
    const { data } = await survivor.platform<{ data: object[] }>("GET", "/api/audit-log?action=instance.write_off");
    expect(data).toMatchObject([
      { actor: "tollgate", target: { kind: "instance", id: killedId }, before: { open_holds: expect.any(Number) } },
    ]);
    const stranded = await instanceOf(stranding);
    expect(stranded).toMatchObject({ id: strandingId, state: "disconnected", open_holds: 1 });
    expect(nanosOf(stranded!.leased)).toBe(HOLD);
    expect((await ledgerOf(cluster)).filter(({ kind, request_id: id }) => kind === "adjustment" || id?.startsWith("late:"))).toEqual([]);
    expect(await survivor.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });

  test("a reply waits for a database that is away, and is charged once", async () => {
    const key = await keyWith("patient", 10n ** 12n);
    let isComplete = false;
    const replying = postHeld(survivor, key).finally(() => (isComplete = true));
    // The holds of the killed processes wait as well.
    await gate.holds(3);
    await cluster.postgres.kill();
    gate.open();
    await eventually(
      () => survivor.logLines(),
      (lines) => lines.some(({ event }) => event === "ledger_unavailable"),
    );
    expect([gate.waiting, isComplete]).toEqual([0, false]);
    await cluster.postgres.restart();
    const { status, requestId } = await replying;
    expect(status).toBe(200);
    expect(chargesOf(requestId, await ledgerOf(cluster))).toHaveLength(1);
  });
});
