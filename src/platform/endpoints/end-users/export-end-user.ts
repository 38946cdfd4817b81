import { operators, type Actor } from "../../../access/access.ts";
import { Reply } from "../../../lib/http1/server/reply.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { TextStream } from "../../text-stream.ts";
import { viewEntry } from "../credits/entry-view.ts";
import { mirrorsFor } from "../requests/mirror-view.ts";
import { viewRequest } from "../requests/request-view.ts";
import { changeOf, endUserSchema, readEndUser, type EndUser } from "./end-user.ts";

/** Requests of one slice: their prompts and responses are read one by one. */
const ROWS_AT_ONCE = 50;
/** Between slices, so that requests get most of the CPU time. */
const REST_MS = 2;

/** POST /api/accounts/:id/end-users/export: everything that is stored of an end user, as JSON lines. Access is audited. */
export function exportEndUser(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/accounts/:id/end-users/export",
    access: operators("bodies:read"),
    operationId: "exportEndUser",
    summary: "Export the ledger entries and logged requests of an end user, with prompts and responses. It is recorded in the audit log.",
    body: endUserSchema("ExportEndUserRequest"),
    reply: {
      status: 200,
      description:
        "One JSON object per line, with a `type`: `entry` for a settlement or release in the ledger, `request` for a logged request, with `bodies` where they were logged. A connection that is cut off leaves an incomplete file.",
      headers: { "Content-Disposition": { type: "string", description: "The file name." } },
      others: { "application/x-ndjson": { type: "string" } },
    },
    async run(call) {
      const { actor, param, body, exchange } = call;
      const endUser = readEndUser(body, param("id"), actor, platform);
      await platform.auditLog.add(changeOf("account.export_end_user", endUser, null, call));
      const headers = { "content-type": "application/x-ndjson", "content-disposition": 'attachment; filename="end-user.jsonl"' };
      return new Reply(new TextStream(linesOf(endUser, actor, platform), exchange), { headers });
    },
  });
}

async function* linesOf(endUser: EndUser, actor: Actor, platform: Platform): AsyncGenerator<string, void> {
  yield* entryLines(endUser, actor, platform);
  yield* requestLines(endUser, actor, platform);
}

async function* entryLines({ accountId, names }: EndUser, actor: Actor, { ledgerRecords }: Platform): AsyncGenerator<string, void> {
  for (let afterId: number | undefined = 0; afterId !== undefined;) {
    const { entries, toId } = await ledgerRecords.entriesOfEndUser(accountId, names, afterId);
    // Holds have the same names as the entries that close them.
    yield entries
      .filter((entry) => entry.kind !== "hold")
      .map((entry) => toLine("entry", viewEntry(entry, actor)))
      .join("");
    await Bun.sleep(REST_MS);
    afterId = toId;
  }
}

async function* requestLines({ accountId, names }: EndUser, actor: Actor, platform: Platform): AsyncGenerator<string, void> {
  const { requestLog } = platform;
  const filter = { accountId, attributed: [{ dimension: "user" as const, names }] };
  for (let page = await requestLog.list(filter, undefined, "newer", ROWS_AT_ONCE); page.length > 0;) {
    const mirrors = await mirrorsFor(
      actor,
      page.map(({ request }) => request),
      platform,
    );
    for (const { request } of page) {
      const bodies = await requestLog.bodiesOf(request.requestId);
      const viewed = bodies ? { request: bodies.request, reply: bodies.reply, truncated: bodies.isCut } : null;
      yield toLine("request", { ...viewRequest(request, actor, platform, mirrors), bodies: viewed });
    }
    await Bun.sleep(REST_MS);
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", ROWS_AT_ONCE);
  }
}

function toLine(type: string, fields: object): string {
  return `${JSON.stringify({ type, ...fields })}\n`;
}
