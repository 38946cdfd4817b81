import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { hostname } from "node:os";
import type { Instance, InstanceList, WriteOff } from "../../platform-client/types.ts";
import { commandRunner } from "../commands/command-runner.ts";
import { dollarsOf } from "../money/ledger-of.ts";
import { Gate } from "../money/gate.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import type { Outcome } from "../support/gateway/run-tollgate.ts";
import { startCluster, type Cluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, configFor, startMockUpstream, type MockUpstream, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { countEarlyTakeovers } from "./count-takeovers.ts";
import { passAMinute } from "./pass-a-minute.ts";

describe.skipIf(!hasPostgres)("gateway processes and a platform process on one PostgreSQL database", () => {
  const gate = new Gate();
  let upstream: MockUpstream;
  let cluster: Cluster;
  let platform: RunningGateway;
  let gateways: readonly RunningGateway[];
  let key: string;
  let keyId: string;

  beforeAll(async () => {
    upstream = startMockUpstream({ "up-held": answer, "up-quick": answer });
    cluster = await startCluster(0, { yaml: configFor(upstream.baseUrl, ["held", "quick"]) });
    gateways = [await cluster.add({ env: { TOLLGATE_ROLE: "gateway" } }), await cluster.add({ env: { TOLLGATE_ROLE: "gateway" } })];
    platform = await cluster.add({ env: { TOLLGATE_ROLE: "platform" } });
    await platform.platform("POST", "/api/accounts", { id: "acme", name: "Acme" });
    await platform.platform("POST", "/api/accounts/acme/grants", {
      amount: dollarsOf(10n ** 12n),
      reference: "grant",
      reason: "for tests",
    });
    ({ key, id: keyId } = await platform.platform<{ key: string; id: string }>("POST", "/api/keys", {
      name: "acme",
      models: ["*"],
      account: "acme",
    }));
  });

  afterAll(async () => {
    gate.open();
    await cluster?.stop();
    await upstream?.stop();
  });

  async function answer({ body }: RecordedRequest): Promise<Response> {
    if (body["model"] === "up-held") await gate.pass();
    return Response.json(completion({}, { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } }));
  }

  async function list(): Promise<readonly Instance[]> {
    return (await platform.platform<InstanceList>("GET", "/api/instances")).data;
  }

  function of({ pid }: RunningGateway): Promise<Instance> {
    return eventually(
      async () => (await list()).find((each) => each.pid === pid)!,
      (found) => found !== undefined,
    );
  }

  function run(line: string): Promise<Outcome> {
    return commandRunner(platform).run(line, { env: { TOLLGATE_OPERATOR_TOKEN: platform.operatorToken } });
  }

  async function metricsOf({ platformUrl }: RunningGateway): Promise<string> {
    const headers = { authorization: `Bearer ${platform.operatorToken}` };
    return (await fetch(`${platformUrl}/metrics`, { headers })).text();
  }

  function statusOf(url: string, path: string, authorization = `Bearer ${platform.operatorToken}`): Promise<number> {
    return fetch(`${url}${path}`, { headers: { authorization } }).then(({ status }) => status);
  }

  test("are listed by the platform, with their machine, role and load", async () => {
    const listed = await eventually(list, (all) => all.length === 3 && all.every(({ state }) => state === "live"));
    expect(listed.map(({ role, pid }) => [role, pid])).toEqual([
      ["gateway", gateways[0]!.pid],
      ["gateway", gateways[1]!.pid],
      ["platform", platform.pid],
    ]);
    for (const instance of listed) {
      expect(instance).toMatchObject({ host: hostname(), in_flight: 0, open_holds: 0, held: "0.00" });
      expect(instance.memory_bytes).toBeGreaterThan(20e6);
    }
    const table = (await run("instances")).stdout;
    expect(table.split("\n")[0]).toMatch(/^ID +ROLE +STATE +HOST +PID /);
    expect(table.match(/ live /g)).toHaveLength(3);
    await eventually(
      () => metricsOf(platform),
      (text) => text.includes('tollgate_instances{state="live"} 3\n'),
    );
    expect(await metricsOf(gateways[0]!)).not.toContain("tollgate_instances{");
  });

  test("evaluate alerts in the role platform alone, also where others were started first", async () => {
    const { id } = await of(platform);
    await eventually(
      () => leaderIn(cluster),
      (leader) => leader === id,
    );
  });

  test("take no job over from one whose lease has not ended", async () => {
    const earlyTakeovers = await countEarlyTakeovers(cluster);
    // All processes request the job every two seconds, and each renewal is observed.
    const renewals = new Set<number>();
    await eventually(
      async () => renewals.add(Number((await leaseIn(cluster, "ledger"))?.until)).size,
      (seen) => seen > 4,
    );
    expect(await earlyTakeovers()).toBe(0);
  });

  test("serve model clients only in the role gateway, which has metrics and probes beside", async () => {
    const [gateway] = gateways;
    const { status } = await postUntilVerified(() => postChat(gateway!, key, chatBody("quick", { max_tokens: 10 })));
    expect(status).toBe(200);
    const base = gateway!.platformUrl;
    expect(await Promise.all(["/metrics", "/healthz", "/readyz", "/api/keys", "/"].map((path) => statusOf(base, path)))).toEqual([
      200, 200, 200, 404, 404,
    ]);
    expect(await statusOf(base, "/metrics", "Bearer wrong")).toBe(401);
    const metrics = await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${platform.operatorToken}`, host: "gate-1:8701" } });
    expect(await metrics.text()).toMatch(/tollgate_requests_total\{.*\} 1/);
    const refused = await postChat(platform, key, chatBody("quick")).catch(() => "refused");
    expect(refused).toBe("refused");
    expect(await Promise.all(["/healthz", "/readyz", "/metrics"].map((path) => statusOf(platform.platformUrl, path)))).toEqual([
      200, 200, 200,
    ]);
  });

  test("call models for people who are signed in also in the role platform, from credit that it leases", async () => {
    const body = { model: "quick", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] };
    const charged = await postUntilVerified(async () => {
      const response = await fetch(`${platform.platformUrl}/api/keys/${keyId}/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${platform.operatorToken}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    });
    expect(JSON.parse(charged.text)).toMatchObject({ usage: { total_tokens: 20 } });
    expect(await of(platform)).toMatchObject({ role: "platform", lease_count: 1 });
  });

  test("cannot be restarted or written off while they are live", async () => {
    const { id } = await of(gateways[0]!);
    expect((await run("restart")).stderr).toContain("restarted where they were started");
    expect((await run(`instances write-off ${id} --reason gone`)).stderr).toContain("may be serving requests");
    expect((await run(`instances write-off ${id}`)).stderr).toContain("give a reason");
    expect((await run("instances write-off none --preview")).stderr).toContain('no instance with the id "none"');
  });

  test("are disconnected when they are lost, and written off once", async () => {
    const lost = gateways[1]!;
    const { id } = await of(lost);
    const call = postUntilVerified(() => postChat(lost, key, chatBody("held", { max_tokens: 10 }))).catch(() => undefined);
    await gate.holds(1);
    await eventually(
      () => of(lost),
      ({ open_holds: openHolds, in_flight: inFlight }) => openHolds === 1 && inFlight === 1,
    );
    process.kill(lost.pid, "SIGKILL");
    await call;
    await passAMinute(cluster);
    const stranded = await eventually(
      () => of(lost),
      ({ state }) => state === "disconnected",
    );
    expect(stranded).toMatchObject({ id, host: hostname(), open_holds: 1, in_flight: 0, connections: 0 });
    const metrics = await eventually(
      () => metricsOf(platform),
      (text) => text.includes('tollgate_instances{state="disconnected"} 1\n'),
    );
    expect(metrics.match(/_leased_dollars\{state="disconnected"\} (.*)/)![1]).toStartWith(stranded.leased);
    expect((await run(`instances write-off ${id} --preview`)).stdout).toContain(
      `${id} strands $${stranded.leased} in 1 lease, with 1 open hold of $`,
    );
    expect((await of(lost)).state).toBe("disconnected");
    const path = `/api/instances/${id}/write-off`;
    expect(await platform.platform<WriteOff>("POST", path, { reason: "the disk failed" })).toMatchObject({
      written_off: true,
      instance: { id, state: "disconnected", leased: stranded.leased, open_holds: 1 },
    });
    expect(await platform.platform<WriteOff>("POST", path, { reason: "again" })).toMatchObject({
      written_off: false,
      instance: { state: "written_off", leased: "0.00", open_holds: 0 },
    });
    expect((await list()).map(({ pid }) => pid)).not.toContain(lost.pid);
    const { data } = await platform.platform<{ data: object[] }>("GET", "/api/audit-log?action=instance.write_off");
    expect(data).toMatchObject([{ target: { kind: "instance", id }, before: { open_holds: 1 }, after: { reason: "the disk failed" } }]);
    expect(data).toHaveLength(1);
  });

  test("are no longer listed after an orderly shutdown", async () => {
    const { pid } = await of(gateways[0]!);
    await gateways[0]!.end();
    await eventually(list, (all) => all.every((each) => each.pid !== pid));
  });
});

interface Lease {
  readonly instance_id: string;
  readonly until: Date;
}

async function leaseIn({ url }: Pick<Cluster, "url">, job: string): Promise<Lease | undefined> {
  const sql = new SQL(url.reveal(), { max: 1 });
  try {
    return (await sql<Lease[]>`select instance_id, until from leaders where job = ${job}`)[0];
  } finally {
    await sql.close();
  }
}

/** The process that evaluates and delivers alerts. */
async function leaderIn(cluster: Pick<Cluster, "url">): Promise<string | undefined> {
  return (await leaseIn(cluster, "alerts"))?.instance_id;
}
