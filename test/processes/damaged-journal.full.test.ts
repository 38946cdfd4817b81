import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { startGatedUpstream, type GatedUpstream } from "../crash/gated-upstream.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { gatewayProcesses, type Instance } from "../support/gateway/gateway-processes.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { processFolders, removeProcesses, startServing } from "./killed-processes.ts";

const PROCESSES = 2;
/** An offset in the first group of a segment. */
const DAMAGED_BYTE = 84;

let gated: GatedUpstream;
let gateway: KillableGateway;

beforeEach(async () => {
  gated = startGatedUpstream();
  gated.open();
  gateway = await KillableGateway.create({ yaml: configFor(gated.upstream.baseUrl, ["whole"]) });
});
afterEach(async () => {
  await removeProcesses(gateway);
  await gated.upstream.stop();
});

/** Kills a process with kill -9, and damages its journal. */
function killAndDamage({ id, pid }: Instance): void {
  // The process must not write meanwhile, and its owner must not read.
  process.kill(pid, "SIGSTOP");
  const file = openSync(join(gateway.folder, "data", "processes", id, "segment-1"), "r+");
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, DAMAGED_BYTE);
  byte[0]! ^= 1;
  writeSync(file, byte, 0, 1, DAMAGED_BYTE);
  closeSync(file);
  process.kill(pid, "SIGKILL");
}

/** The processes, after a new process has replaced the lost one. */
function untilReplaced(lost: string): Promise<Instance[]> {
  return eventually(
    () => gatewayProcesses(gateway),
    (all) => all.filter(({ state }) => state === "live").length === PROCESSES && all.every(({ id }) => id !== lost),
  );
}

async function recover(...options: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([launcher(), "recover", ...options], {
    cwd: gateway.folder,
    env: { PATH: process.env["PATH"]! },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, text: output + errors };
}

test("a damaged journal strands its leases alone, until recover moves it aside", async () => {
  const pids = await startServing(gateway, PROCESSES);
  await gateway.grant("1000");
  const { key } = await gateway.makeKey();
  const clients = await ProcessClient.connectToEach(gateway, pids);
  for (const client of clients) expect((await client.post(key, chatBody("whole"))).status).toBe(200);
  const [damaged, other] = (await gatewayProcesses(gateway)) as [Instance, Instance];
  killAndDamage(damaged);
  await eventually(
    () => gatewayProcesses(gateway),
    (all) => all.filter(({ state }) => state === "live").length === PROCESSES && all.length === PROCESSES + 1,
  );
  process.kill(other.pid, "SIGTERM");
  const listed = await untilReplaced(other.id);
  const stranded = listed.filter(({ state }) => state !== "live");
  expect(stranded).toMatchObject([{ id: damaged.id, state: "disconnected" }]);
  expect(stranded[0]!.leased).not.toBe("0.00");
  const output = await eventually(
    () => gateway.output,
    (text) => text.includes("has drained and ended"),
  );
  expect(output.match(/could not be recovered/g)).toHaveLength(1);

  expect(await recover()).toMatchObject({ code: 1, text: expect.stringContaining("another Tollgate process is using") });
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  expect(processFolders(gateway)).toEqual([damaged.id]);
  const [started] = await Promise.allSettled([startServing(gateway, PROCESSES)]);
  expect(String((started as PromiseRejectedResult).reason)).toContain("recover --accept-loss");
  const { code, text } = await recover("--accept-loss");
  expect([code, text]).toEqual([0, expect.stringContaining(`processes/${damaged.id} cannot be applied`)]);
  await startServing(gateway, PROCESSES);
  expect(await gateway.platform<object>("GET", "/api/accounts/default")).toMatchObject({ held: "0.00" });
  expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
});
