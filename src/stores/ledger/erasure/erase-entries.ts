import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database as SqliteFile } from "bun:sqlite";
import { readAttribution, writeAttribution, type Attribution } from "../../../money/attribution.ts";
import { transactSoon } from "./transact-soon.ts";
import { eraseNames, type ErasedNames } from "./erase-attribution.ts";

/** Entries of one slice, which blocks the event loop for one or two milliseconds. */
const ENTRIES_AT_ONCE = 2000;

interface AttributedRow {
  readonly id: number;
  readonly attribution: string;
}

/** The conversations of an end user in the entries up to `lastId`. */
export async function findConversations(
  file: SqliteFile,
  accountId: string,
  users: ReadonlySet<string>,
  lastId: number,
): Promise<Set<string>> {
  const conversations = new Set<string>();
  for (let afterId = 0; afterId < lastId; afterId += ENTRIES_AT_ONCE) {
    for (const { attribution } of readAttributed(file, accountId, afterId, lastId)) {
      const { user, conversation } = readAttribution(attribution) as Attribution;
      if (user !== undefined && users.has(user) && conversation !== undefined) conversations.add(conversation);
    }
    await nextTurn();
  }
  return conversations;
}

/**
 * Erases names from the entries up to `lastId`, and returns the number of entries that had any. This is the only change that is ever made
 * to an entry, and it leaves the amounts unchanged. Each slice is a separate transaction: the next call completes an interrupted erasure.
 */
export async function eraseFromEntries(file: SqliteFile, accountId: string, names: ErasedNames, lastId: number): Promise<number> {
  let erased = 0;
  const update = file.query("update entries set attribution = ? where id = ?");
  for (let afterId = 0; afterId < lastId; afterId += ENTRIES_AT_ONCE) {
    const changes = readAttributed(file, accountId, afterId, lastId).flatMap(({ id, attribution }) => {
      const rest = eraseNames(readAttribution(attribution) as Attribution, names);
      return rest ? { id, attribution: writeAttribution(rest) } : [];
    });
    if (changes.length > 0) await transactSoon(file, () => changes.forEach(({ id, attribution }) => update.run(attribution, id)));
    erased += changes.length;
    await nextTurn();
  }
  return erased;
}

/** A slice of the entries with an attribution. */
function readAttributed(file: SqliteFile, accountId: string, afterId: number, lastId: number): AttributedRow[] {
  const sql = "select id, attribution from entries not indexed where id > ? and id <= ? and account_id = ? and attribution is not null";
  return file.query<AttributedRow, [number, number, string]>(sql).all(afterId, Math.min(afterId + ENTRIES_AT_ONCE, lastId), accountId);
}
