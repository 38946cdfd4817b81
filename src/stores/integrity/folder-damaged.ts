import { basename } from "node:path";
import { isCorruption } from "./read-database.ts";

/** What is wrong with a file, and where in it. */
export interface Finding {
  readonly file: string;
  readonly problem: string;
}

/** The damage in a data folder, and what cannot be restored from what is there. */
export interface Damage {
  readonly findings: readonly Finding[];
  /** In whole sentences. */
  readonly losses: readonly string[];
}

/** The data folder is damaged: starting with it would lose what was recorded, without a word. */
export class FolderDamaged extends Error {
  constructor(folder: string, damage: Damage) {
    super(`the data in ${folder} is damaged, and a start would lose records.
${describeDamage(damage)}
Restore the folder from a backup. To continue without what is lost: npx tollgate recover --accept-loss`);
    this.name = "FolderDamaged";
  }
}

/** A line for each finding, and one for what is lost. */
export function describeDamage({ findings, losses }: Damage): string {
  const found = findings.map(({ file, problem }) => `${basename(file)}: ${problem}.`);
  return [...found, `Lost: ${losses.join(" ")}`].join("\n");
}

/** The same for a database that SQLite could open, and then not read. */
export function toFolderDamaged(folder: string, database: string, error: unknown): unknown {
  if (!isCorruption(error)) return error;
  const findings = [{ file: database, problem: `it cannot be read: ${error.message}` }];
  return new FolderDamaged(folder, { findings, losses: ["npx tollgate recover reads all of it, and tells what."] });
}
