import { afterAll, describe, expect, test } from "bun:test";
import { hostname } from "node:os";
import { version } from "../../package.json" with { type: "json" };
import { commandRunner } from "../commands/command-runner.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, OPERATOR, type CallResult } from "../support/gateway/platform-in-process.ts";
import { SampleProcesses } from "../support/gateway/sample-processes.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

const gateway = await startGateway();
const processes = new SampleProcesses();
const several = await openPlatform(new Map(), { processes });
afterAll(() => Promise.all([gateway.stop(), several.stop()]));

interface List {
  readonly data: readonly Record<string, unknown>[];
}

describe("a single process", () => {
  test("is listed with its connections of model clients", async () => {
    await (await fetch(`${gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${gateway.firstKey}` } })).text();
    const { data, ...beside } = await gateway.platform<List>("GET", "/api/instances");
    expect(beside).toEqual({ restarting: false } as object);
    expect(data).toEqual([
      {
        id: "single",
        role: "single",
        state: "live",
        host: hostname(),
        pid: gateway.pid,
        version: expect.stringMatching(new RegExp(`^${RegExp.escape(version)}(\\+[0-9a-f]{12}(-dirty)?)?$`)) as string,
        started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        heartbeat_age_ms: null,
        in_flight: 0,
        connections: 1,
        memory_bytes: expect.any(Number) as number,
        leased: "0.00",
        lease_count: 0,
        open_holds: null,
        held: null,
        config: null,
      },
    ]);
    expect(data[0]!["memory_bytes"]).toBeGreaterThan(20e6);
    const { leases, ...shown } = await gateway.platform<Record<string, unknown>>("GET", "/api/instances/single");
    expect([shown["id"], leases]).toEqual(["single", []]);
  });

  test("is not restarted: the message names the command that does", async () => {
    const { code, stderr } = await commandRunner(gateway).run("restart");
    expect([code, stderr]).toEqual([1, expect.stringContaining("systemctl restart tollgate") as string]);
    const response = await fetch(`${gateway.platformUrl}/api/instances/restart`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.operatorToken}` },
    });
    expect([response.status, await response.json()]).toMatchObject([409, { code: "state_conflict" }]);
    expect((await gateway.platform<List>("GET", "/api/audit-log?kind=instance")).data).toEqual([]);
  });

  test("is not written off: the message says why", async () => {
    const { code, stderr } = await commandRunner(gateway).run("instances write-off single --reason gone");
    expect([code, stderr]).toEqual([1, expect.stringContaining("Only processes that share a database (TOLLGATE_DATABASE_URL)") as string]);
    expect((await gateway.platform<List>("GET", "/api/audit-log?kind=instance")).data).toEqual([]);
  });

  test("is shown on the command line", async () => {
    const commands = commandRunner(gateway);
    expect(await commands.text("instances")).toMatch(new RegExp(`^ID +ROLE .*\nsingle +single +live +${gateway.pid} .* -\n$`));
    expect(await commands.text("instances show single")).toContain(`single (single), process ${gateway.pid}\n`);
    expect((await commands.run("instances show none")).stderr).toContain(
      'There is no instance with the id "none". See: npx tollgate instances',
    );
  });

  test("counts a stream in flight, until it ends", async () => {
    const inFlight = async (): Promise<unknown> => (await gateway.platform<List>("GET", "/api/instances")).data[0]!["in_flight"];
    const cancel = new AbortController();
    const stalled = fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.firstKey}`, "content-type": "application/json" },
      body: new ReadableStream({ pull: () => Bun.sleep(1e9) }),
      signal: cancel.signal,
    }).catch(() => undefined);
    await eventually(inFlight, (count) => count === 1);
    cancel.abort();
    await stalled;
    await eventually(inFlight, (count) => count === 0);
  });
});

function call(id: string, params: Record<string, string> = {}): Promise<CallResult> {
  return several.call(OPERATOR, id, { params });
}

describe("several processes", () => {
  test("are listed with the sum of their accounts' leases", async () => {
    const { status, body } = await call("listInstances");
    expect([status, body["restarting"]]).toEqual([200, false]);
    expect(body["data"]).toMatchObject([
      { id: "owner", role: "owner", state: "live", heartbeat_age_ms: null, leased: "0.00", lease_count: 0 },
      { id: "8kQ2vXp0", role: "gateway", heartbeat_age_ms: 413, in_flight: 37, connections: 1204, leased: "12.437500001", lease_count: 3 },
      { id: "Zr51mC7d", state: "draining", leased: "1.00" },
      { id: "p0Yw4LbN", state: "disconnected", heartbeat_age_ms: 12_800 },
      { id: "t7Hs9GfE", state: "starting", heartbeat_age_ms: null },
    ]);
  });

  test("have leases of accounts and keys, the largest first", async () => {
    expect((await call("showInstance", { id: "8kQ2vXp0" })).body["leases"]).toEqual([
      { kind: "account", id: "acme", amount: "10.000000001" },
      { kind: "account", id: "default", amount: "2.4375" },
      { kind: "key", id: "1t8M70XpfTe0", amount: "0.75" },
    ]);
    expect(await call("showInstance", { id: "none" })).toMatchObject({ status: 404, body: { code: "unknown_instance" } });
  });

  test("are restarted once at a time, with an entry in the audit log", async () => {
    const ids = ["8kQ2vXp0", "Zr51mC7d", "p0Yw4LbN", "t7Hs9GfE"];
    expect(await call("restartInstances")).toMatchObject({ status: 202, body: { instances: ids } });
    expect((await call("listInstances")).body["restarting"]).toBe(true);
    expect(await call("restartInstances")).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    const recorded = { action: "instance.restart", actor: OPERATOR.id, target: { kind: "instance", id: "all" }, after: { instances: ids } };
    expect((await several.call(OPERATOR, "listChanges", { query: "kind=instance" })).body["data"]).toMatchObject([recorded]);
    processes.end();
    expect((await call("restartInstances")).status).toBe(202);
  });
});
