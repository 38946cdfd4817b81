import { Database } from "bun:sqlite";
import { dirname, join } from "node:path";
import { entriesToReplay, readJournal } from "../../../src/stores/ledger/journal/read-journal.ts";
import { WAIT_LIMIT_MS } from "../wait-limit.ts";

const POLL_MS = 2;

/** Waits until a gateway has written its journaled entries to the database, which it does about 10 ms after each request. */
export function untilWritten(databasePath: string): void {
  const journal = join(dirname(databasePath), "ledger-journal");
  for (const deadline = performance.now() + WAIT_LIMIT_MS; performance.now() < deadline;) {
    if (entriesToReplay(readJournal(journal), lastId(databasePath)).length === 0) return;
    Bun.sleepSync(POLL_MS);
  }
  throw new Error("The gateway does not write its journal to its database.");
}

function lastId(databasePath: string): number {
  const file = new Database(databasePath, { readonly: true });
  try {
    return file.query<{ id: number | null }, []>("select max(id) as id from entries").get()?.id ?? 0;
  } finally {
    file.close();
  }
}
