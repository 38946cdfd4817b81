import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instance, InstanceList } from "../../platform-client/types.ts";
import { commandRunner } from "../commands/command-runner.ts";
import { Gate } from "../money/gate.ts";
import { endsIn } from "../money/ledger-of.ts";
import { Load } from "../processes/load.ts";
import { eventually } from "../support/eventually.ts";
import { isRunning } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { configFor, startMockUpstream, type MockUpstream, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { billInFull, bodyFor, createKey } from "./billed-in-full.ts";
import { settledLedger } from "./cluster-ledger.ts";
import { spendAllCredit } from "./spend-all-credit.ts";

const MACHINES = 2;
const PROCESSES = 2;
const MODELS = ["held", "quick", "good"];

/** The IDs of the processes of a machine that have a journal. */
function journalsOf({ folder }: RunningGateway): string[] {
  const path = join(folder, "data", "processes");
  return existsSync(path) ? readdirSync(path).toSorted() : [];
}

describe.skipIf(!hasPostgres)("two machines with gateway processes on one PostgreSQL database", () => {
  const gate = new Gate();
  let upstream: MockUpstream;
  let cluster: Cluster;
  let first: RunningGateway;
  let second: RunningGateway;
  let key: string;
  let yaml: string;

  beforeAll(async () => {
    const answers = [...MODELS, "added"].map((model) => [`up-${model}`, answer] as const);
    upstream = startMockUpstream(Object.fromEntries(answers));
    const env = { TOLLGATE_PROCESSES: String(PROCESSES), TOLLGATE_DRAIN_SECONDS: "100", TOLLGATE_ADMIT_SECONDS: "100" };
    yaml = configFor(upstream.baseUrl, MODELS);
    cluster = await startCluster(MACHINES, { yaml, env });
    [first, second] = cluster.gateways as [RunningGateway, RunningGateway];
    ({ key } = await createKey(first, "rich", 10n ** 12n));
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await upstream?.stop();
  });

  async function answer(request: RecordedRequest): Promise<Response> {
    if (request.body["model"] === "up-held") await gate.pass();
    if (request.body["model"] === "up-good") await Bun.sleep(Math.random() * 10);
    return billInFull(request);
  }

  async function list(): Promise<readonly Instance[]> {
    return (await first.platform<InstanceList>("GET", "/api/instances")).data;
  }

  /** The process IDs of a machine's gateway processes. Waits until this many serve and no other process of the machine is listed. */
  async function servingOn(machine: RunningGateway): Promise<number[]> {
    const own = await eventually(
      async () => (await list()).filter(({ id }) => journalsOf(machine).includes(id)),
      (all) => all.length === PROCESSES + 1 && journalsOf(machine).length === all.length && all.every(({ state }) => state === "live"),
    );
    return own.filter(({ role }) => role === "gateway").map(({ pid }) => pid);
  }

  test("every process is an instance of its own, with a journal and no database file", async () => {
    const all = await eventually(
      list,
      (listed) => listed.length === MACHINES * (PROCESSES + 1) && listed.every(({ state }) => state === "live"),
    );
    expect(all.filter(({ role }) => role === "owner").map(({ pid }) => pid)).toEqual(cluster.gateways.map(({ pid }) => pid));
    expect(all.filter(({ role }) => role === "gateway")).toHaveLength(MACHINES * PROCESSES);
    expect(cluster.gateways.flatMap(journalsOf).toSorted()).toEqual(all.map(({ id }) => id).toSorted());
    for (const { folder } of cluster.gateways) expect(existsSync(join(folder, "data", "tollgate.db"))).toBe(false);
    const table = (await commandRunner(first).run("instances", { env: { TOLLGATE_OPERATOR_TOKEN: first.operatorToken } })).stdout;
    expect(table.match(/ live /g)).toHaveLength(all.length);
  });

  test("200 parallel requests on credit for 10 are admitted 10 times", () => spendAllCredit(cluster, upstream, "quick"));

  test("a model that is added to the config file is served by every process", async () => {
    yaml = configFor(upstream.baseUrl, [...MODELS, "added"]);
    for (const machine of cluster.gateways) {
      writeFileSync(join(machine.folder, "tollgate.yaml"), yaml);
      await machine.platform("POST", "/api/config/reload");
      const clients = await ProcessClient.connectToEach(machine, await servingOn(machine));
      for (const client of clients) {
        await eventually(
          async () => (await client.post(key, bodyFor("added"))).status,
          (status) => status === 200,
        );
        client.close();
      }
    }
  });

  test("a gateway process that is killed is replaced, and its journal is applied", async () => {
    const [killed, other] = (await servingOn(first)) as [number, number];
    const client = await ProcessClient.connect(first, killed);
    const requests: string[] = [];
    for (let sent = 0; sent < 20; sent++) {
      const { status, headers } = await client.post(key, bodyFor("quick"));
      expect(status).toBe(200);
      requests.push(headers.get("x-request-id")!);
    }
    // The last entries are only in the journal.
    process.kill(killed, "SIGKILL");
    client.close();
    const after = await eventually(
      () => servingOn(first),
      (pids) => !pids.includes(killed),
    );
    expect(after).toContain(other);
    const ends = endsIn(await settledLedger(cluster));
    expect(requests.filter((id) => ends.get(id)?.kind !== "settle")).toEqual([]);
    const logged = await eventually(
      () => first.logLines().filter(({ event }) => event === "gateway_process_ended"),
      ({ length }) => length > 0,
    );
    expect(logged).toHaveLength(1);
  });

  test("a rolling restart by SIGUSR2 replaces the processes of one machine without a failed request", async () => {
    const [before, others] = [await servingOn(first), await servingOn(second)];
    const load = new Load({ gateway: first, key, model: "good", keepalive: true });
    await eventually(
      () => load.answered,
      (count) => count > 50,
    );
    process.kill(first.pid, "SIGUSR2");
    const after = await eventually(
      () => servingOn(first),
      (pids) => pids.every((pid) => !before.includes(pid)),
    );
    await load.stop();
    expect([load.failed, after.length]).toEqual([[], PROCESSES]);
    expect(await servingOn(second)).toEqual(others);
    const { data } = await first.platform<{ data: { after: { instances: string[] } }[] }>("GET", "/api/audit-log?action=instance.restart");
    expect(data.map((entry) => entry.after.instances.length)).toEqual([PROCESSES]);
    expect((await commandRunner(second).run("restart", { env: { TOLLGATE_OPERATOR_TOKEN: second.operatorToken } })).stdout).toStartWith(
      `Restarting ${PROCESSES} gateway processes: `,
    );
    await eventually(
      () => servingOn(second),
      (pids) => pids.every((pid) => !others.includes(pid)),
    );
    endsIn(await settledLedger(cluster));
  });

  test("the metrics of a machine are the sum of all its processes", async () => {
    const clients = await ProcessClient.connectToEach(second, await servingOn(second));
    const count = async (): Promise<number> => {
      const response = await fetch(`${second.platformUrl}/metrics`, { headers: { authorization: `Bearer ${second.operatorToken}` } });
      return Number(/^tollgate_requests_total\{.*model="good".*status="200".*\} (\d+)$/m.exec(await response.text())?.[1] ?? 0);
    };
    const before = await count();
    for (const client of clients) expect((await client.post(key, bodyFor("good"))).status).toBe(200);
    expect(await eventually(count, (counted) => counted - before >= PROCESSES)).toBe(before + PROCESSES);
    for (const client of clients) client.close();
  });

  test("gateway processes serve while their owner is away, and are adopted by the next start", async () => {
    const pids = await servingOn(second);
    const clients = await ProcessClient.connectToEach(second, pids);
    process.kill(second.pid, "SIGKILL");
    await eventually(
      () => isRunning(second.pid),
      (isThere) => !isThere,
    );
    for (const client of clients) expect((await client.post(key, bodyFor("quick"))).status).toBe(200);
    second = await cluster.add({ folder: second.folder, yaml });
    expect(new Set(await servingOn(second))).toEqual(new Set(pids));
    for (const client of clients) expect((await client.post(key, bodyFor("quick"))).status).toBe(200);
    for (const client of clients) client.close();
    endsIn(await settledLedger(cluster));
  });

  test("a second start on the same data folder is refused", async () => {
    const [started] = await Promise.allSettled([cluster.add({ folder: second.folder, yaml })]);
    expect(started).toMatchObject({
      status: "rejected",
      reason: { message: expect.stringContaining("another Tollgate process is using") },
    });
  });

  test("processes that are killed while the database is away are replaced when it is back", async () => {
    const pids = await servingOn(first);
    await cluster.postgres.kill();
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await eventually(
      () => pids.filter(isRunning),
      (running) => running.length === 0,
    );
    await cluster.postgres.restart();
    const after = await eventually(
      () => servingOn(first).catch(() => pids),
      (serving) => serving.every((pid) => !pids.includes(pid)),
    );
    const [client] = await ProcessClient.connectToEach(first, after);
    expect((await client!.post(key, bodyFor("quick"))).status).toBe(200);
    client!.close();
    endsIn(await settledLedger(cluster));
  });

  test("SIGTERM completes the requests in flight in every process, and leaves nothing behind", async () => {
    const pids = await servingOn(second);
    const clients = await ProcessClient.connectToEach(second, pids);
    const replies = clients.map((client) => client.post(key, bodyFor("held")));
    await gate.holds(PROCESSES);
    // The owner counts the requests that its processes have reported.
    await eventually(
      list,
      (all) => all.filter(({ pid, in_flight: inFlight }) => pids.includes(pid) && inFlight === 1).length === PROCESSES,
    );
    process.kill(second.pid, "SIGTERM");
    await eventually(
      () => second.output(),
      (output) => output.includes(`Finishing ${PROCESSES} requests`),
    );
    expect(pids.filter(isRunning)).toEqual(pids);
    gate.open();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(pids.map(() => 200));
    await eventually(
      () => [second.pid, ...pids].filter(isRunning),
      (running) => running.length === 0,
    );
    expect(journalsOf(second)).toEqual([]);
    const ends = endsIn(await settledLedger(cluster));
    const charged = (await Promise.all(replies)).map(({ headers }) => ends.get(headers.get("x-request-id")!)?.kind);
    expect(charged).toEqual(pids.map(() => "settle"));
    expect((await list()).filter(({ pid }) => pids.includes(pid) || pid === second.pid)).toEqual([]);
    expect(await first.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });

  test("in the role gateway, the owner has metrics and probes, and no platform", async () => {
    const third = await cluster.add({ yaml, env: { TOLLGATE_ROLE: "gateway" } });
    const clients = await ProcessClient.connectToEach(third, await servingOn(third));
    for (const client of clients) expect((await client.post(key, bodyFor("quick"))).status).toBe(200);
    for (const client of clients) client.close();
    const headers = { authorization: `Bearer ${third.operatorToken}` };
    const paths = ["/metrics", "/healthz", "/readyz", "/api/keys"];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${third.platformUrl}${path}`, { headers })).status));
    expect(statuses).toEqual([200, 200, 200, 404]);
    const counted = new RegExp(`^tollgate_requests_total\\{.*model="quick".*\\} ${PROCESSES}$`, "m");
    const metrics = await eventually(
      async () => (await fetch(`${third.platformUrl}/metrics`, { headers })).text(),
      (text) => counted.test(text),
    );
    for (const process of ["owner", "1", "2"]) expect(metrics).toContain(`process_resident_memory_bytes{process="${process}"}`);
  });
});
