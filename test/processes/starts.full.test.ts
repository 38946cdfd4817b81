import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aboutEntries } from "../crash/compare-logs.ts";
import { startGatedUpstream, type GatedUpstream } from "../crash/gated-upstream.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { readLedger } from "../crash/read-ledger.ts";
import { eventually } from "../support/eventually.ts";
import { launcher } from "../support/gateway/launcher.ts";
import { gatewayPids } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import { configFor } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { hasOwnerSocket, killAll, processFolders, removeProcesses, startServing } from "./killed-processes.ts";

let gated: GatedUpstream;
let gateway: KillableGateway;

beforeAll(() => (gated = startGatedUpstream()));
afterAll(() => gated.upstream.stop());

describe("a data folder in use", () => {
  beforeEach(async () => {
    gated.shut();
    gated.upstream.requests.length = 0;
    gateway = await KillableGateway.create({ yaml: configFor(gated.upstream.baseUrl, ["whole", "stream"]) });
  });
  afterEach(() => removeProcesses(gateway));

  test("after a crash of all processes, fewer of them close the holds of those that are not started again", async () => {
    const pids = await startServing(gateway, 4);
    await gateway.grant("1000");
    const { key } = await gateway.makeKey();
    for (const count of [4, 2, 1]) {
      const clients = await ProcessClient.connectToEach(gateway, count === 4 ? pids : await startAgain(count));
      const before = gated.upstream.requests.length;
      const cut = clients.map((client) => client.post(key, chatBody("stream", { stream: true })).catch(() => undefined));
      await eventually(
        () => gated.upstream.requests.length - before,
        (calls) => calls === clients.length,
      );
      await killAll(gateway);
      await Promise.all(cut);
    }
    await gateway.start();
    expect([processFolders(gateway), hasOwnerSocket(gateway)]).toEqual([[], false]);
    const entries = readLedger(gateway.databasePath);
    expect(aboutEntries(entries)).toEqual([]);
    expect(entries.filter(({ kind }) => kind === "hold")).toHaveLength(4 + 2 + 1);
    expect(await gateway.platform<object>("GET", "/api/accounts/default")).toMatchObject({ held: "0.00" });
    expect(await gateway.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
  });

  test("a second start on the same data folder is refused, and the first goes on", async () => {
    const pids = await startServing(gateway, 2);
    const alone = await failedStart({}, gateway.folder);
    const several = await failedStart({ TOLLGATE_PROCESSES: "2" }, gateway.folder);
    expect(several).toEqual(alone);
    expect(several.code).toBe(1);
    expect(several.message).toContain("another Tollgate process is using the data in");
    expect(await gatewayPids(gateway)).toEqual(pids);
    await eventually(
      () => gateway.isReady(),
      (isReady) => isReady,
    );
  });
});

/** The process IDs of the processes that serve model clients. */
async function startAgain(count: number): Promise<number[]> {
  if (count > 1) return startServing(gateway, count);
  await gateway.start();
  return [gateway.pid];
}

/** How a start with these variables fails. */
async function failedStart(env: Record<string, string>, cwd: string): Promise<{ code: number; message: string }> {
  const child = Bun.spawn([launcher(), "start", "--json"], {
    cwd,
    env: { PATH: process.env["PATH"]!, TOLLGATE_PORT: "0", TOLLGATE_PLATFORM_PORT: "0", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [, message, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, message };
}

test("a port in use is reported as by a single process, and leaves nothing behind", async () => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  try {
    const port = { TOLLGATE_PORT: String(taken.port) };
    const alone = await failedStart(port, folder);
    const several = await failedStart({ ...port, TOLLGATE_PROCESSES: "2" }, folder);
    expect(several).toEqual(alone);
    expect(several.code).toBe(1);
    expect(several.message).toContain(String(taken.port));
  } finally {
    taken.stop(true);
    rmSync(folder, { recursive: true });
  }
});

test("a data folder whose path is too long for a socket is reported with the variable that changes it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const data = join(folder, "d".repeat(100));
  mkdirSync(data);
  const { code, message } = await failedStart({ TOLLGATE_PROCESSES: "2", TOLLGATE_DATA: data }, folder);
  expect(code).toBe(1);
  expect(message).toContain("TOLLGATE_DATA chooses a folder with a shorter path");
  rmSync(folder, { recursive: true });
});
