import { attempt, type Attempt } from "../crash/call-attempt.ts";
import { countAttempts, type AttemptCounts } from "../crash/count-attempts.ts";
import type { GatewayKey } from "../crash/killable-gateway.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";
import { startCallers } from "../crash/start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "../crash/start-truthful-upstream.ts";
import { Spenders } from "../processes/kills/spenders.ts";
import { seededRandom } from "../streams/seeded-stream.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresServer } from "../support/postgres/start-postgres.ts";
import { ChaosCluster } from "./chaos-cluster.ts";
import { aboutDatabase, aboutEnd } from "./compare-database.ts";
import { chaosDiscrepancies } from "./compare-chaos.ts";
import { FAULT, type FaultKind } from "./faults.ts";

export interface ChaosRun {
  readonly seed: string;
  /** The faults, in order. */
  readonly faults: readonly FaultKind[];
  /** The maximum duration of a partition. */
  readonly maxMs: number;
}

/** A fault, and the time after its end until every gateway had served a request, and one with an idempotency key. */
export interface SeenFault {
  readonly kind: FaultKind;
  readonly lastedMs: number;
  readonly recoveredMs: number;
  readonly idempotentMs: number;
}

/** Discrepancies as sentences, and how much was observed. */
export interface ChaosReport {
  readonly wrong: readonly string[];
  readonly faults: readonly SeenFault[];
  readonly seen: AttemptCounts & Readonly<Record<"late" | "recovered", number>>;
}

const GATEWAYS = 3;
/** The time under load before each fault. */
const LOAD_MS = 800;

/** Causes faults in a cluster of gateways under continuous load, and then compares the logs. */
export async function causeFaults(run: ChaosRun): Promise<ChaosReport> {
  const upstream = await startTruthfulUpstream();
  const postgres = await PostgresServer.start();
  const cluster = await ChaosCluster.create(postgres, GATEWAYS, upstream.yaml);
  try {
    await cluster.start();
    return await causeUnderLoad(run, cluster, upstream);
  } finally {
    await cluster.stop();
    await upstream.stop();
  }
}

async function causeUnderLoad({ seed, faults, maxMs }: ChaosRun, cluster: ChaosCluster, upstream: TruthfulUpstream): Promise<ChaosReport> {
  const random = seededRandom(`faults ${seed}`);
  const spenders = new Spenders();
  const first = cluster.gateways[0]!.gateway;
  await spenders.create(first);
  const probes = new Probes(
    cluster,
    await first.platform<GatewayKey>("POST", "/api/keys", { name: "probe", account: "rich", models: ["*"] }),
  );
  await probes.untilServing();
  const callers = startCallers({ baseUrls: cluster.baseUrls, seed, keys: spenders.keys });
  const seen: SeenFault[] = [];
  try {
    for (const kind of faults) {
      await spenders.topUp(first);
      await Bun.sleep(random() * LOAD_MS);
      const target = cluster.gateways[Math.floor(random() * GATEWAYS)]!;
      const startedAtMs = performance.now();
      await FAULT[kind]({ cluster, target, random, maxMs });
      const endedAtMs = performance.now();
      const sinceEnd = (): number => Math.round(performance.now() - endedAtMs);
      await probes.untilServing();
      const recoveredMs = sinceEnd();
      await probes.untilServing("with an idempotency key");
      seen.push({ kind, lastedMs: Math.round(endedAtMs - startedAtMs), recoveredMs, idempotentMs: sinceEnd() });
    }
    const attempts = [...(await callers.stop()), ...probes.attempts];
    const entries = await settledEntries(cluster);
    const logs = { entries, attempts, calls: await upstream.calls() };
    const wrong = [...chaosDiscrepancies(logs, spenders, faults), ...(await aboutDatabase(cluster, entries)), ...(await aboutEnd(cluster))];
    return { wrong, faults: seen, seen: countsOf(entries, attempts) };
  } finally {
    await callers.kill();
  }
}

/** Requests that show whether all gateways serve. */
class Probes {
  readonly attempts: Attempt[] = [];
  readonly #cluster: ChaosCluster;
  readonly #key: GatewayKey;

  constructor(cluster: ChaosCluster, key: GatewayKey) {
    this.#cluster = cluster;
    this.#key = key;
  }

  async untilServing(how?: "with an idempotency key"): Promise<void> {
    for (const baseUrl of this.#cluster.baseUrls) {
      const marker = how && `probe-${this.attempts.length}`;
      await eventually(
        () => this.#probe(baseUrl, marker),
        ({ end }) => end === "complete",
      );
    }
  }

  /** A new request, or the same request repeatedly under its idempotency key. */
  async #probe(baseUrl: string, idempotencyKey: string | undefined): Promise<Attempt> {
    const marker = idempotencyKey ?? `probe-${this.attempts.length}`;
    const common = { endpoint: "chat", stream: false, includeUsage: false, idempotencyKey, leavesAfterReads: undefined } as const;
    const made = await attempt({ marker, model: "quick-counted", ...common }, baseUrl, this.#key);
    this.attempts.push(made);
    // The attempts of a key must not touch in time.
    await Bun.sleep(2);
    return made;
  }
}

/** The entries, after every hold has ended. An audit ships what a gateway has recorded, so all holds are known after it. */
async function settledEntries(cluster: ChaosCluster): Promise<LedgerRow[]> {
  const settled = await eventually(
    async () => {
      for (const { gateway } of cluster.gateways) if (!(await gateway.askPlatform("GET", "/api/audit")).ok) return undefined;
      return cluster.entries();
    },
    (entries) => {
      const ended = new Set(entries?.map((entry) => entry.hold_id));
      return entries?.every(({ kind, id }) => kind !== "hold" || ended.has(id)) ?? false;
    },
    { everyMs: 100 },
  );
  return settled!;
}

function isLate({ request_id: requestId, reference }: LedgerRow): boolean {
  return (requestId ?? reference)?.startsWith("late:") ?? false;
}

function countsOf(entries: readonly LedgerRow[], attempts: readonly Attempt[]): ChaosReport["seen"] {
  return {
    ...countAttempts(attempts),
    late: entries.filter((entry) => entry.kind !== "hold" && isLate(entry)).length,
    recovered: entries.filter((entry) => entry.actor === "recovery" && !isLate(entry)).length,
  };
}
