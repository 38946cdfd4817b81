import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gatewayPids, isRunning } from "../support/gateway/gateway-processes.ts";
import { eventually } from "../support/eventually.ts";
import { quietPort } from "../crash/killable-gateway.ts";
import { startTruthfulUpstream } from "../crash/start-truthful-upstream.ts";
import { removeProcesses, startServing } from "../processes/killed-processes.ts";
import { createFolderInstallation, makeBackupFolder } from "./installation.ts";

test("gateway processes that have outlived their data folder do not join the owner of the restored one, and end", async () => {
  const upstream = await startTruthfulUpstream();
  const installation = await createFolderInstallation(upstream.yaml, 2);
  const folder = makeBackupFolder();
  const [gateway] = installation.gateways;
  let old: readonly number[] = [];
  try {
    old = await startServing(gateway!, 2);
    await gateway!.grant("10");
    await installation.run("backup", join(folder, "a.backup"));
    await gateway!.kill();
    expect(old.filter(isRunning)).toHaveLength(2);
    rmSync(join(gateway!.folder, "data"), { recursive: true });
    await installation.run("restore", join(folder, "a.backup"));
    // The new processes use the port of the old ones.
    gateway!.spawn({ TOLLGATE_PROCESSES: "2", TOLLGATE_PORT: String(await quietPort()) });
    const pids = await eventually(
      () => gatewayPids(gateway!).catch(() => []),
      ({ length }) => length === 2,
    );
    expect(pids.filter((pid) => old.includes(pid))).toEqual([]);
    await eventually(
      () => old.filter(isRunning),
      (running) => running.length === 0,
    );
    expect(await gateway!.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  } finally {
    for (const pid of old.filter(isRunning)) process.kill(pid, "SIGKILL");
    await removeProcesses(gateway!);
    await upstream.stop();
    rmSync(folder, { recursive: true });
  }
}, 600_000);
