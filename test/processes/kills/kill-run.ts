import type { Attempt } from "../../crash/call-attempt.ts";
import { countAttempts, type AttemptCounts } from "../../crash/count-attempts.ts";
import { discrepancies, type Logs } from "../../crash/compare-logs.ts";
import { damage, openHolds, readLedger, type LedgerRow } from "../../crash/read-ledger.ts";
import { startCallers } from "../../crash/start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "../../crash/start-truthful-upstream.ts";
import { eventually } from "../../support/eventually.ts";
import { spendingDiscrepancies } from "./compare-spending.ts";
import { KillableProcesses, killNine } from "./killable-processes.ts";
import { killPoints, type KillKind, type KillPoint } from "./kill-points.ts";
import { Spenders } from "./spenders.ts";

export interface KillRun {
  readonly seed: string;
  readonly kills: number;
  /** The number of gateway processes. */
  readonly processes: number;
  readonly env?: Record<string, string>;
}

/** The result: discrepancies as sentences, and how much was observed. */
export interface KillReport {
  readonly wrong: readonly string[];
  readonly kinds: Partial<Record<KillKind, number>>;
  readonly seen: AttemptCounts & Readonly<Record<"recoveredCharges" | "recoveredReleases", number>>;
}

/** Kills processes repeatedly under continuous load, and then compares the logs. */
export async function killProcesses(run: KillRun): Promise<KillReport> {
  const upstream = await startTruthfulUpstream();
  const processes = await KillableProcesses.create(upstream.yaml, run.processes, run.env);
  try {
    return await killUnderLoad(run, processes, upstream);
  } finally {
    await processes.remove();
    await upstream.stop();
  }
}

async function killUnderLoad({ seed, kills }: KillRun, processes: KillableProcesses, upstream: TruthfulUpstream): Promise<KillReport> {
  const { gateway } = processes;
  const spenders = new Spenders();
  await processes.start();
  await spenders.create(gateway);
  const callers = startCallers({ baseUrls: [gateway.baseUrl], seed, keys: spenders.keys });
  const points = killPoints(seed, kills);
  try {
    for (const point of points) await killAt(point, processes, spenders);
    await killUntilCharged(processes, spenders);
    await processes.untilAllLive();
    const attempts = await callers.stop();
    const wrong = await untilSettled(processes);
    const entries = readLedger(gateway.databasePath);
    const logs: Logs = { entries, attempts, calls: await upstream.calls() };
    wrong.push(
      ...discrepancies(logs, (attempt) => spenders.mayRefuse(attempt)),
      ...spendingDiscrepancies(logs, spenders),
      ...(await afterRestart(processes, entries, spenders)),
      ...damage(gateway.databasePath),
    );
    return { wrong, kinds: countKinds(points), seen: countsOf(entries, attempts) };
  } finally {
    await callers.kill();
  }
}

/** Kills at this point, after all processes are ready. The owner restarts automatically. */
async function killAt(point: KillPoint, processes: KillableProcesses, spenders: Spenders): Promise<void> {
  await processes.untilAllLive();
  const toppingUp = spenders.topUp(processes.gateway);
  await Bun.sleep(point.afterMs);
  processes.awayMs = point.awayMs;
  await KILLS[point.kind](processes, point);
  await toppingUp;
}

/** The maximum number of additional kills until the recovery has charged a stream that a kill has cut. */
const EXTRA_KILLS = 10;

/** The recovery charges only a stream of more than a second, and on a slow machine all kills can miss every such stream. */
async function killUntilCharged(processes: KillableProcesses, spenders: Spenders): Promise<void> {
  const { databasePath } = processes.gateway;
  for (let extra = 0; extra < EXTRA_KILLS && recovered(readLedger(databasePath), "settle") === 0; extra++) {
    await killAt({ kind: "gateway", afterMs: 1500, thenMs: 0, which: 0, awayMs: 0 }, processes, spenders);
    await processes.untilAllLive();
  }
}

type Kill = (processes: KillableProcesses, point: KillPoint) => Promise<unknown> | void;

const KILLS: Readonly<Record<KillKind, Kill>> = {
  gateway: (processes, { which }) => processes.killOne(which),
  owner: (processes) => processes.killOwner(),
  both: (processes, { which }) => {
    processes.killOne(which);
    processes.killOwner();
  },
  all: (processes) => processes.killAll(),
  async starting_gateway(processes, { which, thenMs }) {
    const before = new Set(processes.pids);
    const started = (): number[] => processes.pids.filter((pid) => !before.has(pid));
    processes.killOne(which);
    const [pid] = await eventually(started, (pids) => pids.length > 0, { everyMs: 2 });
    await Bun.sleep(thenMs);
    killNine(pid!);
  },
  async starting_owner(processes, { thenMs }) {
    const { nextOwner } = processes;
    processes.killOwner();
    await nextOwner;
    await Bun.sleep(thenMs);
    processes.killOwner();
  },
  async waiting_owner(processes, { thenMs }) {
    const unlock = processes.lockDatabase();
    await Bun.sleep(thenMs);
    processes.killOwner();
    unlock();
  },
  async recovering_owner(processes, { which, thenMs }) {
    processes.killOne(which);
    await Bun.sleep(thenMs);
    processes.killOwner();
  },
  async starting_all(processes, { thenMs }) {
    const { nextOwner } = processes;
    processes.killAll();
    await nextOwner;
    await Bun.sleep(thenMs);
    processes.killAll();
  },
};

/** Waits until nothing is in flight, held, or left in a journal of an ended process. Then stops all processes gracefully. */
async function untilSettled(processes: KillableProcesses): Promise<string[]> {
  const { databasePath } = processes.gateway;
  const left = async (): Promise<string[]> => {
    const running = (await processes.instances()).filter(({ role }) => role === "gateway");
    const busy = running.filter(({ in_flight: inFlight, state }) => inFlight > 0 || state !== "live");
    const ended = processes.folders.filter((folder) => !running.some(({ id }) => id === folder));
    return [
      ...busy.map(({ id, state }) => `the process ${id} is ${state} and busy`),
      ...ended.map((folder) => `the folder of ${folder} is left`),
      ...openHolds(databasePath, Date.now()).map((id) => `${id} is still held`),
    ];
  };
  await eventually(left, (wrong) => wrong.length === 0);
  const code = await processes.stop();
  return [
    ...(code === 0 ? [] : [`the owner ended with ${code}: ${processes.gateway.output.slice(-2000)}`]),
    ...processes.folders.map((folder) => `the folder of ${folder} is left after the end`),
  ];
}

/** Compares the platform's balances and the auditor's result with the sum of the entries. */
async function afterRestart(processes: KillableProcesses, entries: readonly LedgerRow[], spenders: Spenders): Promise<string[]> {
  type Account = { credit: string; held: string; spent: { total: string } };
  await processes.start();
  const { gateway } = processes;
  const wrong: string[] = [];
  for (const id of spenders.accounts) {
    const { credit, held, spent } = await gateway.platform<Account>("GET", `/api/accounts/${id}`);
    const own = entries.filter((entry) => entry.account_id === id);
    const charged = sumOf(own, "settle");
    const said = [credit, held, spent.total].map((dollars) => Math.round(Number(dollars) * 1e9)).join();
    const due = [sumOf(own, "grant") - charged, 0, charged].join();
    if (said !== due) wrong.push(`the platform says ${said} of ${id} where the entries come to ${due}`);
  }
  const report = await gateway.platform<{ checked: { entries: number }; discrepancies: unknown[] }>("GET", "/api/audit");
  if (report.checked.entries !== entries.length) wrong.push(`the auditor read ${report.checked.entries} of ${entries.length} entries`);
  return [...wrong, ...report.discrepancies.map((each) => `the auditor found ${JSON.stringify(each)}`)];
}

function sumOf(entries: readonly LedgerRow[], kind: LedgerRow["kind"]): number {
  return entries.filter((entry) => entry.kind === kind).reduce((sum, entry) => sum + entry.amount_nanos, 0);
}

function countKinds(points: readonly KillPoint[]): KillReport["kinds"] {
  const kinds: KillReport["kinds"] = {};
  for (const { kind } of points) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

function countsOf(entries: readonly LedgerRow[], attempts: readonly Attempt[]): KillReport["seen"] {
  return {
    ...countAttempts(attempts),
    recoveredCharges: recovered(entries, "settle"),
    recoveredReleases: recovered(entries, "release"),
  };
}

/** The number of holds that the recovery has closed with this kind of entry. */
function recovered(entries: readonly LedgerRow[], kind: LedgerRow["kind"]): number {
  return entries.filter((entry) => entry.actor === "recovery" && entry.kind === kind).length;
}
