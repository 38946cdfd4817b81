import { members } from "../../../access/access.ts";
import { plainTextSchema } from "../../../lib/schema/plain-text.ts";
import type { ListedEntry } from "../../../money/ledger-entry.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { findAccount } from "../accounts/find-account.ts";
import { entrySchema, viewEntry } from "./entry-view.ts";

/** GET /api/accounts/:id/entries: a page of the account's ledger entries, newest first. */
export function listEntries(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/accounts/:id/entries",
    access: members("accounts:read"),
    operationId: "listEntries",
    summary: "List an account's ledger entries, newest first. Holds are not included.",
    query: {
      ...pageQuery,
      reference: { ...plainTextSchema, maxLength: 200, description: "The grant or adjustment with this reference alone." },
    },
    reply: { status: 200, description: "A page of entries.", json: pageSchema("EntryPage", entrySchema) },
    async run({ actor, query, cursors, param }) {
      const { ledgerRecords } = platform;
      const { limit, after } = readPage(query, cursors, ["number", "number"]);
      const account = findAccount(param("id"), actor, platform);
      // The entry with a reference is a page of its own.
      const [beforeId, beforeNumber] = query.reference === undefined && after ? after : [Number.MAX_SAFE_INTEGER, undefined];
      const entries =
        query.reference === undefined
          ? await ledgerRecords.entriesOf(account.id, beforeId, limit + 1)
          : await creditWith(query.reference, account.id, platform);
      const [newest] = entries;
      // Counted on the first page; each cursor carries the number.
      const first = beforeNumber === undefined ? newest && (await ledgerRecords.numberOf(account.id, newest.id)) : beforeNumber - 1;
      return toPage(
        cursors,
        entries.map((entry, at) => ({ entry, number: first! - at })),
        limit,
        ({ entry, number }) => ({ number, ...viewEntry(entry, actor) }),
        ({ entry, number }) => [entry.id, number],
      );
    },
  });
}

async function creditWith(reference: string, accountId: string, { ledgerRecords }: Platform): Promise<readonly ListedEntry[]> {
  const entry = await ledgerRecords.findCredit(accountId, reference);
  return entry ? [entry] : [];
}
