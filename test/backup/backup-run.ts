import { rmSync } from "node:fs";
import { join } from "node:path";
import { withoutClockErrors } from "../chaos/clock-error.ts";
import { countAttempts, type AttemptCounts } from "../crash/count-attempts.ts";
import type { KillableGateway } from "../crash/killable-gateway.ts";
import type { LedgerRow } from "../crash/read-ledger.ts";
import { startCallers } from "../crash/start-callers.ts";
import { startTruthfulUpstream, type TruthfulUpstream } from "../crash/start-truthful-upstream.ts";
import { seededRandom } from "../streams/seeded-stream.ts";
import { eventually } from "../support/eventually.ts";
import { lostIn, roundDiscrepancies, type Round } from "./compare-rounds.ts";
import { makeBackupFolder, type Installation } from "./installation.ts";

export interface BackupRun {
  readonly seed: string;
  readonly rounds: number;
  readonly callers: number;
  readonly create: (yaml: string) => Promise<Installation>;
}

/** The result: discrepancies as sentences, and how much was observed. */
export interface BackupReport {
  readonly wrong: readonly string[];
  readonly seen: AttemptCounts & {
    readonly entries: number;
    /** Responses that clients had received completely, and that were lost with everything after a backup. */
    readonly lost: number;
    /** Requests in flight that a backup has ended. */
    readonly ended: number;
    /** Responses that were complete before the backup that contains them. */
    readonly saved: number;
    readonly backupMs: readonly number[];
  };
}

const GRANT = 1000;
const LOAD_MS = 1000;
/** The minimum number of responses before a backup, and between the backup and the loss. */
const CHARGED = 20;

/** Backs up, destroys and restores repeatedly under continuous load, and then compares the logs. */
export async function backUpAgainAndAgain(run: BackupRun): Promise<BackupReport> {
  const upstream = await startTruthfulUpstream();
  const installation = await run.create(upstream.yaml);
  const folder = makeBackupFolder();
  try {
    return await underLoad(run, installation, upstream, folder);
  } finally {
    await installation.remove();
    await upstream.stop();
    rmSync(folder, { recursive: true });
  }
}

async function underLoad(
  { seed, rounds: count, callers: callerCount }: BackupRun,
  installation: Installation,
  upstream: TruthfulUpstream,
  folder: string,
): Promise<BackupReport> {
  const random = seededRandom(`backups ${seed}`);
  const { gateways } = installation;
  const [first] = gateways as [KillableGateway];
  await installation.start();
  await first.grant(String(GRANT));
  const keys = await Promise.all(Array.from({ length: callerCount }, () => first.makeKey()));
  const callers = startCallers({ baseUrls: gateways.map(({ baseUrl }) => baseUrl), seed, keys });
  const rounds: Round[] = [];
  const backupMs: number[] = [];
  const wrong: string[] = [];
  try {
    for (let at = 0; at < count; at++) {
      await Bun.sleep((0.5 + random()) * LOAD_MS);
      await untilCharged(installation);
      const path = join(folder, `${at}.backup`);
      const beganAtMs = Date.now();
      await installation.run("backup", path);
      backupMs.push(Date.now() - beganAtMs);
      await Bun.sleep(random() * LOAD_MS);
      await untilCharged(installation);
      await installation.destroy();
      await installation.run("restore", path);
      wrong.push(...aboutOpenHolds(await installation.entries()));
      await installation.start();
      rounds.push({ beganAtMs, servedAtMs: Date.now() });
      wrong.push(...(await aboutAudit(first)));
    }
    await Bun.sleep(LOAD_MS);
    const attempts = await callers.stop();
    wrong.push(...(await aboutAudit(first)));
    // A graceful shutdown writes everything to the ledger, including requests whose clients have disconnected.
    await installation.end();
    const logs = withoutClockErrors({ entries: await installation.entries(), attempts, calls: await upstream.calls() });
    const lost = lostIn(logs, rounds);
    const last = rounds.at(-1)!;
    const saved = attempts.filter(({ end, endedAtMs }) => end === "complete" && endedAtMs < last.beganAtMs);
    return {
      wrong: [...wrong, ...roundDiscrepancies(logs, rounds)],
      seen: {
        ...countAttempts(attempts),
        entries: logs.entries.length,
        lost: [...lost].filter(({ end }) => end === "complete").length,
        ended: logs.entries.filter(({ actor }) => actor === "recovery").length,
        saved: saved.filter((attempt) => !lost.has(attempt)).length,
        backupMs,
      },
    };
  } finally {
    await callers.kill();
  }
}

/** Waits until some more responses were charged, because the clients may have been stopped all the time. */
async function untilCharged(installation: Installation): Promise<void> {
  const count = async (): Promise<number> => (await installation.entries()).filter(({ kind }) => kind === "settle").length;
  const before = await count();
  await eventually(count, (charged) => charged >= before + CHARGED);
}

/** Requests in flight are ended in the backup, not at startup. */
function aboutOpenHolds(entries: readonly LedgerRow[]): string[] {
  const ended = new Set(entries.map((entry) => entry.hold_id));
  return entries.flatMap(({ kind, id, request_id: requestId }) =>
    kind !== "hold" || ended.has(id) ? [] : [`${requestId} is still held after a restore`],
  );
}

async function aboutAudit(gateway: KillableGateway): Promise<string[]> {
  const { discrepancies } = await gateway.platform<{ discrepancies: readonly object[] }>("GET", "/api/audit");
  return discrepancies.map((each) => `the auditor found ${JSON.stringify(each)}`);
}
