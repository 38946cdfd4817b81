import { eventually } from "../support/eventually.ts";
import type { Attempt } from "./call-attempt.ts";
import type { CalledEndpoint } from "./callers.ts";
import { discrepancies } from "./compare-logs.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { killPoints, type KillPoint } from "./kill-points.ts";
import { countProgress, damage, openHolds, readLedger, type LedgerRow } from "./read-ledger.ts";
import { startCallers } from "./start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "./start-truthful-upstream.ts";

export interface KillRun {
  readonly seed: string;
  readonly kills: number;
  readonly callers: number;
  readonly env?: Record<string, string>;
}

/** The result: discrepancies as sentences, and how much was observed. */
export interface KillReport {
  readonly wrong: readonly string[];
  /** The time from the launcher's start to the first success of `/readyz`, for each start that succeeded. */
  readonly readyMs: readonly number[];
  readonly seen: {
    readonly complete: number;
    /** Responses that had started when the gateway was killed, by endpoint. */
    readonly cutChat: number;
    readonly cutMessages: number;
    readonly cutResponses: number;
    readonly replayed: number;
    /** Requests that a start after a kill has charged and released. */
    readonly recoveredCharges: number;
    readonly recoveredReleases: number;
  };
}

const GRANT = 1000;

/** All endpoints, relayed and translated. */
const CALLED: readonly CalledEndpoint[] = [
  { name: "chat", modelPrefixes: ["", "messages-"] },
  { name: "messages", modelPrefixes: ["", "messages-"] },
  { name: "responses", modelPrefixes: ["", "messages-", "responses-"] },
];

/** Kills the gateway repeatedly under continuous load, and then compares the three logs. */
export async function killAgainAndAgain(run: KillRun): Promise<KillReport> {
  const upstream = await startTruthfulUpstream();
  const gateway = await KillableGateway.create({ yaml: upstream.yamlWithRelays, ...(run.env && { env: run.env }) });
  try {
    return await killUnderLoad(run, gateway, upstream);
  } finally {
    await gateway.remove();
    await upstream.stop();
  }
}

async function killUnderLoad(
  { seed, kills, callers: count }: KillRun,
  gateway: KillableGateway,
  upstream: TruthfulUpstream,
): Promise<KillReport> {
  await gateway.start();
  await gateway.grant(String(GRANT));
  const keys = await Promise.all(Array.from({ length: count }, () => gateway.makeKey()));
  await gateway.kill();
  const callers = startCallers({ baseUrls: [gateway.baseUrl], seed, keys, endpoints: CALLED });
  try {
    const { readyMs, leftOpen } = await killAt(killPoints(seed, kills), gateway);
    await killUntilCharged(gateway);
    const attempts = await callers.stop();
    // The gateway notices a client's disconnect later.
    await eventually(
      () => openHolds(gateway.databasePath, Date.now()),
      (open) => open.length === 0,
    );
    const entries = readLedger(gateway.databasePath);
    const wrong = [
      ...leftOpen.map((id) => `${id} was still held after a restart`),
      ...discrepancies({ entries, attempts, calls: await upstream.calls() }),
      ...(await aboutBalance(gateway, entries)),
      ...damage(gateway.databasePath),
    ];
    return { wrong, readyMs, seen: countsOf(entries, attempts) };
  } finally {
    await callers.kill();
  }
}

/** Starts and kills the gateway at each of these points, and then starts it once more. */
async function killAt(points: readonly KillPoint[], gateway: KillableGateway): Promise<{ readyMs: number[]; leftOpen: string[] }> {
  const readyMs: number[] = [];
  const leftOpen: string[] = [];
  const untilReady = async (startedAtMs: number): Promise<void> => {
    readyMs.push(await gateway.untilReady());
    leftOpen.push(...openHolds(gateway.databasePath, startedAtMs));
  };
  for (const { after, ms } of points) {
    const startedAtMs = Date.now();
    gateway.spawn();
    if (after === "ready") await untilReady(startedAtMs);
    await Bun.sleep(ms);
    await gateway.kill();
  }
  const startedAtMs = Date.now();
  gateway.spawn();
  await untilReady(startedAtMs);
  return { readyMs, leftOpen };
}

/** The maximum number of additional kills until a start has charged a stream that a kill has cut. */
const EXTRA_KILLS = 10;

/** A start charges only a stream of more than a second, and on a slow machine all kills can miss every such stream. */
async function killUntilCharged(gateway: KillableGateway): Promise<void> {
  const isCharged = (): boolean => countsOf(readLedger(gateway.databasePath), []).recoveredCharges > 0;
  for (let extra = 0; extra < EXTRA_KILLS && !isCharged(); extra++) {
    await eventually(
      () => countProgress(gateway.databasePath),
      (streams) => streams > 0,
    );
    await gateway.kill();
    await gateway.start();
  }
}

/** Compares the balance that the platform reports with the sum of the entries. */
async function aboutBalance(gateway: KillableGateway, entries: readonly LedgerRow[]): Promise<string[]> {
  type Account = { credit: string; held: string; spent: { total: string } };
  const { credit, held, spent } = await gateway.platform<Account>("GET", "/api/accounts/default");
  const charged = entries.filter(({ kind }) => kind === "settle").reduce((sum, entry) => sum + entry.amount_nanos, 0);
  const said = [credit, held, spent.total].map((dollars) => Math.round(Number(dollars) * 1e9)).join();
  const due = [GRANT * 1e9 - charged, 0, charged].join();
  return said === due ? [] : [`the platform says ${said} where the entries come to ${due}`];
}

function countsOf(entries: readonly LedgerRow[], attempts: readonly Attempt[]): KillReport["seen"] {
  const recovered = entries.filter(({ actor }) => actor === "recovery");
  return {
    complete: attempts.filter(({ end }) => end === "complete").length,
    cutChat: countCut("chat", attempts),
    cutMessages: countCut("messages", attempts),
    cutResponses: countCut("responses", attempts),
    replayed: attempts.filter(({ replays }) => replays !== null).length,
    recoveredCharges: recovered.filter(({ kind }) => kind === "settle").length,
    recoveredReleases: recovered.filter(({ kind }) => kind === "release").length,
  };
}

function countCut(endpoint: Attempt["endpoint"], attempts: readonly Attempt[]): number {
  return attempts.filter((each) => each.endpoint === endpoint && each.end === "cut" && each.status === 200).length;
}
