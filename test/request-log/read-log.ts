import { Database } from "bun:sqlite";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export interface LogRow {
  readonly id: string;
  readonly account_id: string | null;
  readonly model: string | null;
  readonly status: number;
  readonly outcome: string;
  readonly code: string | null;
}

/** Opens a file of a log that somebody else is writing; undefined where it has only just been made. */
export function openLogFile(path: string): Database | undefined {
  const file = new Database(path, { readonly: true });
  file.run("pragma busy_timeout = 120000");
  if (file.query("select 1 from sqlite_master where name = 'bodies'").get()) return file;
  file.close();
  return undefined;
}

/** Every request in the files of a log, by the files alone. Each must be sound. */
export function readLog(dataFolder: string): LogRow[] {
  const folder = join(dataFolder, "requests");
  const days = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{4}-\d\d-\d\d\.db$/.test(name)) : [];
  return days.toSorted().flatMap((name) => {
    const file = openLogFile(join(folder, name));
    if (!file) return [];
    try {
      const check = file.query<{ integrity_check: string }, []>("pragma integrity_check").get()!.integrity_check;
      if (check !== "ok") throw new Error(`${name}: ${check}`);
      return file
        .query<LogRow, []>("select lower(hex(id)) as id, account_id, model, status, outcome, code from requests order by row")
        .all();
    } finally {
      file.close();
    }
  });
}

/** The id of a request as the files have it. */
export function inFile(requestId: string): string {
  return requestId.replace("req_", "").replaceAll("-", "");
}
