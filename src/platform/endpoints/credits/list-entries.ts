import { members } from "../../../vocabulary/access.ts";
import { operation, type Operation } from "../../operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type PageQuery } from "../../paging.ts";
import type { Platform } from "../../platform.ts";
import { findAccount } from "../accounts/find-account.ts";
import { entrySchema, viewEntry } from "./entry-view.ts";

/** GET /api/accounts/:id/entries: what has happened to an account's credit, newest first, a page at a time. */
export function listEntries(platform: Platform): Operation {
  return operation<undefined, PageQuery>({
    method: "GET",
    path: "/api/accounts/:id/entries",
    access: members("accounts:read"),
    operationId: "listEntries",
    summary: "Lists what has happened to an account's credit, newest first. Holds are left out.",
    query: pageQuery,
    reply: { status: 200, description: "A page of entries.", json: pageSchema("EntryPage", entrySchema) },
    run({ actor, query, cursors, param }) {
      const { limit, after } = readPage(query, cursors, ["number"]);
      const account = findAccount(param("id"), actor, platform);
      const entries = platform.ledger.entriesOf(account.id, after?.[0] ?? Number.MAX_SAFE_INTEGER, limit + 1);
      return toPage(
        cursors,
        entries,
        limit,
        (entry) => viewEntry(entry, actor),
        ({ id }) => [id],
      );
    },
  });
}
