import { basename } from "node:path";
import { isCorruption } from "./read-database.ts";
import { TOLLGATE } from "../../lib/this-program.ts";

/** The damage of one file, and its position. */
export interface Finding {
  readonly file: string;
  readonly problem: string;
}

/** The damage in a data folder, and the records that cannot be restored from its files. */
export interface Damage {
  readonly findings: readonly Finding[];
  /** Complete sentences. */
  readonly losses: readonly string[];
}

/** The data folder is damaged: a start would lose records silently. */
export class FolderDamaged extends Error {
  constructor(folder: string, damage: Damage) {
    super(`the data in ${folder} is damaged. The gateway does not start, because records would be lost.
${describeDamage(damage)}
Restore the folder from a backup. To start without the lost records, run: ${TOLLGATE} recover --accept-loss`);
    this.name = "FolderDamaged";
  }
}

/** A line for each finding, and one for the lost records. */
export function describeDamage({ findings, losses }: Damage): string {
  const found = findings.map(({ file, problem }) => `${basename(file)}: ${problem}.`);
  return [...found, `Lost: ${losses.join(" ")}`].join("\n");
}

/** The damage of a journal that an ended gateway process has left behind. */
export function processJournalDamage(instanceId: string, { file, problem }: Finding): Damage {
  return {
    findings: [{ file, problem: `the journal of the gateway process in processes/${instanceId} cannot be applied: ${problem}` }],
    losses: [`the charges of requests that the gateway process ${instanceId} has served and that are not in the ledger yet.`],
  };
}

/** `FolderDamaged` for the journal of a gateway process that has ended. */
export function processJournalDamaged(folder: string, instanceId: string, finding: Finding): FolderDamaged {
  return new FolderDamaged(folder, processJournalDamage(instanceId, finding));
}

/** `FolderDamaged` for a database that SQLite could open but not read. Other errors are returned unchanged. */
export function toFolderDamaged(folder: string, database: string, error: unknown): unknown {
  if (!isCorruption(error)) return error;
  const findings = [{ file: database, problem: `it cannot be read: ${error.message}` }];
  return new FolderDamaged(folder, {
    findings,
    losses: [`not known yet. To check every page and list what is lost, run: ${TOLLGATE} recover`],
  });
}
