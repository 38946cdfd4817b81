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

/** Opens a log file that another process is writing; undefined if the file has only just been created. */
export function openLogFile(path: string): Database | undefined {
  const file = new Database(path, { readonly: true });
  file.run("pragma busy_timeout = 120000");
  if (file.query("select 1 from sqlite_master where name = 'bodies'").get()) return file;
  file.close();
  return undefined;
}

/** Every request in the files of a log, read only from the files. Each file must be intact. */
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

/** The ID of a request in the format of the files. */
export function inFile(requestId: string): string {
  return requestId.replace("req_", "").replaceAll("-", "");
}
