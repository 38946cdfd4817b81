import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { eventually } from "../support/eventually.ts";
import { PROCESSES, startProcesses, untilServing } from "../support/gateway/gateway-processes.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { ledgerOf, openIn } from "../money/ledger-of.ts";
import { Load } from "./load.ts";

let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = startMockUpstream({
    async "up-good"() {
      await Bun.sleep(Math.random() * 10);
      return Response.json(completion());
    },
  });
  gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["good"]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway?.stop();
  await upstream.stop();
});

/** Whether the kernel passes the queued connections of a closing listener to another process. */
const migratesConnections = readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1";

/** Waits until each response is charged once, and no hold is left. Charges are in the ledger a moment after the response. */
async function untilSettled(count: number): Promise<void> {
  await eventually(
    () => [chargesIn(gateway), openIn(ledgerOf(gateway)).length],
    ([charges, open]) => charges! >= count && open === 0,
  );
  expect(chargesIn(gateway)).toBe(count);
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
}

function chargesIn(running: RunningGateway): number {
  return ledgerOf(running).filter(({ kind }) => kind === "settle").length;
}

let answered = 0;

for (const keepalive of [false, true]) {
  test(`a rolling restart replaces every process without a failed request (${keepalive ? "kept" : "fresh"} connections)`, async () => {
    const before = await untilServing(gateway);
    const load = new Load({ gateway, key, model: "good", keepalive });
    await eventually(
      () => load.answered,
      (count) => count > 50,
    );
    await gateway.platform("POST", "/api/instances/restart");
    await eventually(
      () => gateway.platform<{ restarting: boolean }>("GET", "/api/instances"),
      ({ restarting }) => !restarting,
    );
    const after = await untilServing(gateway);
    await load.stop();
    expect(load.failed).toEqual([]);
    expect(after).toHaveLength(PROCESSES);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    if (migratesConnections) expect(load.reset).toBe(0);
    answered += load.answered;
    await untilSettled(answered);
  });
}
