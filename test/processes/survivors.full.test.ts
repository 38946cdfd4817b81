import { afterEach, beforeEach, expect, test } from "bun:test";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { gatewayProcesses, isRunning, type Instance } from "../support/gateway/gateway-processes.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { removeProcesses, startServing } from "./killed-processes.ts";

let upstream: MockUpstream;
let gateway: KillableGateway;
let one: Instance;
let other: Instance;

beforeEach(async () => {
  upstream = startMockUpstream({ "up-good": () => Response.json(completion()) });
  gateway = await KillableGateway.create({ yaml: configFor(upstream.baseUrl, ["good"]) });
  await startServing(gateway, 2);
  [one, other] = (await gatewayProcesses(gateway)) as [Instance, Instance];
  await gateway.kill();
});

afterEach(async () => {
  // Not every process has a folder that shows this.
  for (const { pid } of [one, other]) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  await removeProcesses(gateway);
  await upstream.stop();
});

const folderOf = ({ id }: Instance): string => join(gateway.folder, "data", "processes", id);

function untilEnded({ pid }: Instance): Promise<unknown> {
  return eventually(
    () => isRunning(pid),
    (runs) => !runs,
  );
}

test("a process that the next owner does not know of is refused, and ends", async () => {
  renameSync(folderOf(one), join(gateway.folder, "elsewhere"));
  const serving = await startServing(gateway, 2);
  expect([serving.includes(other.pid), serving.includes(one.pid)]).toEqual([true, false]);
  await untilEnded(one);
});

test("a survivor whose folder does not tell its pid tells it itself", async () => {
  rmSync(join(folderOf(one), "pid"));
  expect(new Set(await startServing(gateway, 2))).toEqual(new Set([one.pid, other.pid]));
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  await Promise.all([one, other].map(untilEnded));
});

test("a start fails where a survivor hangs and its pid is not known", async () => {
  process.kill(one.pid, "SIGSTOP");
  rmSync(join(folderOf(one), "pid"));
  gateway.spawn({ TOLLGATE_PROCESSES: "2" });
  expect(await gateway.exited).toBe(1);
  const output = await eventually(
    () => gateway.output,
    (text) => text.includes("gateway processes of an earlier owner still use the data in"),
  );
  expect(output).toContain(one.id);
  expect(isRunning(one.pid)).toBe(true);
});
