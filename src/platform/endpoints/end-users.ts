import { type Actor, operators } from "../../access/access.ts";
import type { Change } from "../../access/change.ts";
import { hashedIdentity, storedIdentities, storedName } from "../../access/stored-identity.ts";
import type { Infer } from "../../lib/schema/infer.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { ApiError } from "../../requests/api-error.ts";
import { type Call, operation, type Operation } from "../operation.ts";
import type { Platform } from "../platform.ts";
import { findAccount } from "./find-resource.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { TextStream } from "../text-stream.ts";
import { viewEntry } from "./ledger.ts";
import { mirrorsFor, viewRequest } from "./request-view.ts";
import { ERASED, type Attribution } from "../../money/attribution.ts";
import type { AttributedFilter, ErasedRequest, PositionedRequest } from "../../stores/request-log/request-log-store.ts";

/** The end user is in the body, because request URLs are logged. */
function endUserSchema(title: string) {
  return {
    title,
    type: "object",
    additionalProperties: false,
    required: ["user"],
    properties: {
      user: { type: "string", minLength: 1, maxLength: 1000, description: "The end user, as the client names it or as it is stored." },
    },
  } as const satisfies Schema;
}

/** An end user of an account: the names under which it may be stored, and a hash of it for the audit log. */
interface EndUser {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly hash: string;
}

/** Throws a 400 for a name that reports use, because it is not an end user. */
function readEndUser({ user }: Infer<ReturnType<typeof endUserSchema>>, accountId: string, actor: Actor, platform: Platform): EndUser {
  const { id } = findAccount(accountId, actor, platform);
  const names = storedIdentities(user, "user", id, platform.hashSecret);
  if (names.length === 1) {
    const message = `user cannot be "${user}": reports use this name. An end user whom clients name so is "${storedName(user, "user")}".`;
    throw new ApiError("invalid_value", message, { param: "user" });
  }
  return { accountId: id, names, hash: hashedIdentity(user, "user", id, platform.hashSecret) };
}

/** The audit record of an export or an erasure, with a hash instead of the end user. */
function changeOf(action: string, { accountId, hash }: EndUser, counts: object | null, { change }: Pick<Call, "change">): Change {
  const after = { user_hash: hash, ...counts };
  return change(action, { kind: "account", id: accountId }, { before: null, after, accountId });
}

/** The number of requests per slice: their prompts and responses are read one by one. */
const EXPORTED_ROWS_AT_ONCE = 50;
/** The pause between slices, so that requests get most of the CPU time. */
const REST_MS = 2;

/** POST /api/accounts/:id/end-users/export: all stored data of an end user, as JSON lines. Access is audited. */
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
        "One JSON object per line, with a `type`: `entry` for a settlement or release in the ledger, `request` for a logged request, with `bodies` if they were logged. A connection that is cut off leaves an incomplete file.",
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
  for (let page = await requestLog.list(filter, undefined, "newer", EXPORTED_ROWS_AT_ONCE); page.length > 0;) {
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
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", EXPORTED_ROWS_AT_ONCE);
  }
}

function toLine(type: string, fields: object): string {
  return `${JSON.stringify({ type, ...fields })}\n`;
}

/** The number of requests per slice. */
const ERASED_ROWS_AT_ONCE = 200;
/** The number of conversations per search of the request log. */
const NAMES_AT_ONCE = 200;
const erasedSchema = {
  title: "ErasedEndUser",
  type: "object",
  required: ["account", "entries", "conversations", "requests"],
  properties: {
    account: { type: "string" },
    entries: { type: "integer", description: "The ledger entries that named the end user or one of its conversations." },
    conversations: { type: "integer", description: "The conversations of the end user, which were erased too." },
    requests: { type: "integer", description: "The requests in the request log that did, without their prompts and responses now." },
  },
} as const satisfies Schema;

/**
 * POST /api/accounts/:id/end-users/erase: erases an end user from the ledger, the usage reports and the request log. Amounts are kept. A
 * request in flight writes its entries when it ends: a second call erases these.
 */
export function eraseEndUser(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/accounts/:id/end-users/erase",
    access: operators("accounts:write"),
    operationId: "eraseEndUser",
    summary: "Erase an end user from ledger, usage and request log. Amounts stay. It cannot be undone, and may be repeated.",
    body: endUserSchema("EraseEndUserRequest"),
    reply: { status: 200, description: "The erased data. If all counts are 0, nothing is left to erase.", json: erasedSchema },
    async run(call) {
      const { actor, param, body, exchange } = call;
      const endUser = readEndUser(body, param("id"), actor, platform);
      // No idle timeout: the erasure reads the whole ledger.
      exchange.setIdleTimeout(0);
      const { entries, conversations } = await platform.ledgerRecords.eraseEndUser(endUser.accountId, endUser.names);
      const requests = await eraseFromLog(endUser, conversations, platform);
      // Exports are removed after the log is erased: a running export may have read the log before.
      await platform.exports.removeWithAccount(endUser.accountId);
      const counts = { entries, conversations: conversations.length, requests };
      await platform.auditLog.add(changeOf("account.erase_end_user", endUser, counts, call));
      return { account: endUser.accountId, ...counts };
    },
  });
}

/** Requests of other end users in the same conversations lose their conversation, and are otherwise unchanged. */
async function eraseFromLog({ accountId, names }: EndUser, conversations: readonly string[], platform: Platform): Promise<number> {
  let count = await eraseMatching(accountId, { dimension: "user", names }, true, platform);
  for (let at = 0; at < conversations.length; at += NAMES_AT_ONCE) {
    const some = conversations.slice(at, at + NAMES_AT_ONCE);
    count += await eraseMatching(accountId, { dimension: "conversation", names: some }, false, platform);
  }
  return count;
}

async function eraseMatching(
  accountId: string,
  attributed: AttributedFilter,
  isOfUser: boolean,
  { requestLog }: Platform,
): Promise<number> {
  const filter = { accountId, attributed: [attributed] };
  const toErased = (found: PositionedRequest): ErasedRequest => {
    return { ...found, attribution: withoutNames(found.request.attribution!, isOfUser), deletesBodies: isOfUser };
  };
  let count = 0;
  for (let page = await requestLog.list(filter, undefined, "newer", ERASED_ROWS_AT_ONCE); page.length > 0;) {
    await requestLog.erase(page.map(toErased));
    count += page.length;
    await Bun.sleep(REST_MS);
    page = await requestLog.list(filter, page.at(-1)!.position, "newer", ERASED_ROWS_AT_ONCE);
  }
  return count;
}

function withoutNames(attribution: Attribution, isOfUser: boolean): Attribution {
  const { user, conversation } = attribution;
  return {
    ...attribution,
    ...(user !== undefined && isOfUser && { user: ERASED }),
    ...(conversation !== undefined && { conversation: ERASED }),
  };
}
