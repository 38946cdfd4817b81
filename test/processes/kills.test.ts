import { afterAll, beforeAll, expect, test } from "bun:test";
import { discrepancies } from "../crash/compare-logs.ts";
import { KillableGateway } from "../crash/killable-gateway.ts";
import { damage, readLedger } from "../crash/read-ledger.ts";
import { startCallers } from "../crash/start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "../crash/start-truthful-upstream.ts";
import { isLong } from "../support/long.ts";
import { hasOwnerSocket, killAll, processFolders, removeProcesses, startServing } from "./killed-processes.ts";

const CALLERS = 16;
const ROUNDS = isLong ? 30 : 2;
/** Under load, between two kills. */
const LOAD_MS = 300;

let upstream: TruthfulUpstream;
let gateway: KillableGateway;

beforeAll(async () => {
  upstream = await startTruthfulUpstream();
  gateway = await KillableGateway.create({ yaml: upstream.yaml });
});

afterAll(async () => {
  await removeProcesses(gateway);
  await upstream.stop();
});

test("kill -9 of a gateway process, of the owner and of all under load loses no charge, duplicates none, and leaves no open hold", async () => {
  let pids = await startServing(gateway);
  await gateway.grant("1000");
  const keys = await Promise.all(Array.from({ length: CALLERS }, () => gateway.makeKey()));
  const callers = startCallers({ baseUrl: gateway.baseUrl, seed: "processes", keys });
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await Bun.sleep(LOAD_MS);
      process.kill(pids[round % pids.length]!, "SIGKILL");
      await Bun.sleep(LOAD_MS);
      await gateway.kill();
      await Bun.sleep(LOAD_MS);
      pids = await startServing(gateway);
      await Bun.sleep(LOAD_MS);
      await killAll(gateway);
      pids = await startServing(gateway);
    }
    await Bun.sleep(LOAD_MS);
    const attempts = await callers.stop();
    gateway.signal("SIGTERM");
    expect(await gateway.exited).toBe(0);
    const entries = readLedger(gateway.databasePath);
    expect(attempts.filter(({ end }) => end === "complete").length).toBeGreaterThan(10);
    expect(attempts.filter(({ end, status }) => end === "cut" && status === 200).length).toBeGreaterThan(0);
    // Without its owner a process refuses what it cannot decide, such as whether an Idempotency-Key was used: with 503, never with 401 or 402.
    const wrong = discrepancies({ entries, attempts, calls: await upstream.calls() });
    expect(wrong.filter((each) => !each.endsWith("was refused with 503"))).toEqual([]);
    expect(damage(gateway.databasePath)).toEqual([]);
    expect([processFolders(gateway), hasOwnerSocket(gateway)]).toEqual([[], false]);
  } finally {
    await callers.kill();
  }
});
