import { afterEach, beforeEach, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { Attempt } from "./call-attempt.ts";
import { aboutEntries, discrepancies } from "./compare-logs.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { openHolds, readLedger } from "./read-ledger.ts";
import { startCallers, type Callers } from "./start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "./start-truthful-upstream.ts";

const CALLERS = 16;

let upstream: TruthfulUpstream;
let gateway: KillableGateway;
let callers: Callers;

beforeEach(async () => {
  upstream = await startTruthfulUpstream();
  gateway = await KillableGateway.create({ yaml: upstream.yaml });
  await gateway.start();
  await gateway.grant("1000");
  const keys = await Promise.all(Array.from({ length: CALLERS }, () => gateway.makeKey()));
  callers = startCallers({ baseUrls: [gateway.baseUrl], seed: "signals", keys });
  // Long streams, and their progress in the ledger.
  await eventually(
    () => readLedger(gateway.databasePath).length,
    (entries) => entries > 200,
  );
  await eventually(
    () => openHolds(gateway.databasePath, Date.now()).length,
    (open) => open > 3,
  );
});

afterEach(async () => {
  await callers.kill();
  await gateway.remove();
  await upstream.stop();
});

test("SIGTERM completes and charges all responses in flight, and leaves no open hold", async () => {
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  const entries = readLedger(gateway.databasePath);
  expect(aboutEntries(entries)).toEqual([]);
  const attempts = await restartAndStop();
  // Every response that had started is complete; requests that came too late never started.
  expect(attempts.filter(({ end, status }) => end === "cut" && status !== null)).toEqual([]);
  expect(entries.filter(({ actor }) => actor === "recovery")).toEqual([]);
  expect(await discrepanciesWith(attempts)).toEqual([]);
});

test("a second SIGTERM cuts requests in flight, and the next start charges or releases them", async () => {
  gateway.signal("SIGTERM");
  // Two pending signals of the same kind are merged into one.
  await eventually(
    () => gateway.output,
    (output) => output.includes("Send the signal again to stop now."),
  );
  gateway.signal("SIGTERM");
  expect(await gateway.exited).toBe(0);
  const startedAtMs = Date.now();
  await gateway.start();
  expect(openHolds(gateway.databasePath, startedAtMs)).toEqual([]);
  const attempts = await callers.stop();
  expect(attempts.filter(({ end, status }) => end === "cut" && status !== null)).not.toEqual([]);
  expect(await discrepanciesWith(attempts)).toEqual([]);
});

/** The discrepancies between the logs when no request is in flight: the gateway notices a client's disconnect later. */
async function discrepanciesWith(attempts: readonly Attempt[]): Promise<string[]> {
  await eventually(
    () => openHolds(gateway.databasePath, Date.now()),
    (open) => open.length === 0,
  );
  return discrepancies({ entries: readLedger(gateway.databasePath), attempts, calls: await upstream.calls() });
}

/** The clients continue until the gateway is ready again. Then they are stopped. */
async function restartAndStop(): Promise<Attempt[]> {
  await gateway.start();
  return callers.stop();
}
