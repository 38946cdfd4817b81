import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Journal } from "../src/stores/ledger/journal.ts";

const PATIENCE_MS = 5000;
const POLL_MS = 2;

/** Waits until a gateway has written to its database what it has in its journal, which it does a moment after each request. */
export function untilWritten(databasePath: string): void {
  const path = join(dirname(databasePath), "ledger-journal");
  if (!existsSync(path)) return;
  const journal = new Journal(path, "process");
  try {
    for (const deadline = Date.now() + PATIENCE_MS; journal.leftBehind(lastId(databasePath)).length > 0 && Date.now() < deadline;) {
      Bun.sleepSync(POLL_MS);
    }
  } finally {
    journal.close();
  }
}

function lastId(databasePath: string): number {
  const file = new Database(databasePath, { readonly: true });
  try {
    return file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  } finally {
    file.close();
  }
}
