import { type Actor, members } from "../../access/access.ts";
import {
  EXPORT_FORMATS,
  EXPORT_STATES,
  maySeeExport,
  type RequestExport,
  MAX_EXPORT_BYTES,
  exportOwner,
  makeExport,
  MAX_EXPORTS,
} from "../../access/request-export.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import type { Platform } from "../platform.ts";
import { timeSchema, viewTime, unknownId } from "./fields.ts";
import { requestQuery, readRequestFilter } from "./request-filter.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { RequestFilter } from "../../stores/request-log/request-log-store.ts";
import { exportedPieces, formatSchema, withEndAt, fileHeaders, fileReply } from "./request-export.ts";
import { plainTextSchema } from "../../lib/schema/plain-text.ts";
import { operation, type Operation } from "../operation.ts";
import { Reply } from "../../lib/http1/server/reply.ts";
import { TextStream } from "../text-stream.ts";

const exportSchema = {
  title: "RequestExport",
  type: "object",
  required: ["id", "format", "filters", "state", "rows", "total", "bytes", "error", "created_at", "ended_at", "expires_at"],
  properties: {
    id: { type: "string" },
    format: { type: "string", enum: EXPORT_FORMATS },
    filters: { title: "ExportFilters", type: "object", properties: requestQuery, description: "The filters that were given." },
    state: {
      type: "string",
      enum: EXPORT_STATES,
      description: "`done`: the file can be downloaded. `interrupted`: the process that wrote it has stopped; start the export again.",
    },
    rows: { type: "integer", description: "The number of requests written so far." },
    total: {
      type: "integer",
      nullable: true,
      description: "The number of requests in all; null until they are counted, and if there are too many to count.",
    },
    bytes: { type: "integer", description: "The size of the file; 0 if there is none." },
    error: { type: "string", nullable: true, description: "Why it failed." },
    created_at: { ...timeSchema, description: "The start. Requests that ended later are not included." },
    ended_at: { ...timeSchema, nullable: true, description: "The end; null while it is running." },
    expires_at: { ...timeSchema, description: "When it is deleted: a day after its start." },
  },
} as const satisfies Schema;

function viewExport({ id, format, filters, state, rows, total, bytes, error, ...times }: RequestExport) {
  return {
    id,
    format,
    filters,
    state,
    rows,
    total,
    bytes,
    error,
    created_at: viewTime(times.createdAtMs),
    ended_at: viewTime(times.endedAtMs),
    expires_at: viewTime(times.expiresAtMs),
  };
}

/**
 * One of the caller's exports. Another person's export is reported as not found, and so is an export whose requests the caller may no
 * longer see.
 */
async function findExport(id: string, actor: Actor, { exports }: Platform): Promise<RequestExport> {
  const found = await exports.find(id);
  if (found && maySeeExport(actor, found)) return found;
  throw unknownId("unknown_export", "export", id);
}

/** The pause between slices, several times as long as a slice takes: exports run in the background, and requests get the CPU time. */
const REST_MS = 10;
const CHUNK_LENGTH = 256 * 1024;
/** If few requests match, an incomplete chunk is written after this time, so that progress is visible. */
const WRITE_EVERY_MS = 1000;

const TOO_LARGE =
  "The file would be larger than 1 GiB. Choose a shorter time or more filters, or use GET /api/requests/export, which has no limit.";
const NO_ROOM = "There is no room for the file. Delete exports, or try again when others have expired.";
const FAILED = "The export could not be written. Try again later.";

/** Makes the exports of a process take turns: regardless of their number, one slice is read per pause. */
export class ExportPace {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => Bun.sleep(REST_MS));
    return this.#last;
  }
}

interface WrittenExport {
  readonly written: Pick<RequestExport, "id" | "format">;
  readonly filter: RequestFilter | undefined;
  readonly actor: Actor;
  readonly pace: ExportPace;
  readonly maxBytes?: number;
}

/** Writes an export to its end, unless it is stopped before. Never throws: the state of the export contains the result. */
export async function writeExport(wanted: WrittenExport, platform: Platform): Promise<void> {
  const { id } = wanted.written;
  try {
    const problem = await writeChunks(wanted, platform);
    if (problem === undefined) await platform.exports.end(id, "done");
    else await platform.exports.end(id, "failed", problem);
  } catch (error) {
    const isExpected = error instanceof ApiError;
    if (!isExpected) platform.reportFailure(`the export ${id} could not be written`, error);
    const reason = isExpected ? error.message : FAILED;
    // If the failure cannot be recorded, the export counts as interrupted.
    await platform.exports.end(id, "failed", reason).catch(() => undefined);
  }
}

/** Resolves to the reason if the export cannot be completed. An export that was stopped has already ended. */
async function writeChunks(wanted: WrittenExport, platform: Platform): Promise<string | undefined> {
  const { written, filter, actor, pace, maxBytes = MAX_EXPORT_BYTES } = wanted;
  const total = await countExactly(filter, actor, platform);
  let [text, rows, bytes, writtenAtMs] = ["", 0, 0, performance.now()];
  const write = async (): Promise<string | undefined> => {
    bytes += Buffer.byteLength(text);
    if (bytes > maxBytes) return TOO_LARGE;
    const appended = await platform.exports.append(written.id, { text, rows, total });
    if (appended === "full") return NO_ROOM;
    if (appended === "stopped") return STOPPED;
    [text, rows, writtenAtMs] = ["", 0, performance.now()];
    return undefined;
  };
  for await (const piece of exportedPieces(filter, written.format, actor, platform, () => pace.next())) {
    text += piece.text;
    rows += piece.rows;
    const isDue = text.length >= CHUNK_LENGTH || performance.now() - writtenAtMs >= WRITE_EVERY_MS;
    const problem = isDue ? await write() : undefined;
    if (problem !== undefined) return problem;
  }
  return write();
}

/** This reason is not recorded, because an export that was stopped has already ended. */
const STOPPED = "The export was stopped.";

async function countExactly(filter: RequestFilter | undefined, actor: Actor, platform: Platform): Promise<number | null> {
  if (!filter) return 0;
  try {
    const { count, isExact } = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.count(filter));
    return isExact ? count : null;
  } catch (error) {
    // The caller is counting other requests at the moment. The export does not need the total.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Unlike the filters of a list, these filters are stored and shown, so their texts must be printable. */
const FILTERS = Object.fromEntries(
  Object.entries<Schema>(requestQuery).map(([name, schema]) => [
    name,
    schema.type === "string" && !schema.enum ? { ...plainTextSchema, ...schema } : schema,
  ]),
) as typeof requestQuery;

/** POST /api/exports: exports requests in the background. Like other exports, it is a read, so it is not in the audit log. */
export function createExport(platform: Platform): Operation {
  const pace = new ExportPace();
  return operation({
    method: "POST",
    path: "/api/exports",
    access: members("usage:read"),
    operationId: "createExport",
    summary: "Export requests in the background, to a file that can be downloaded for a day",
    body: {
      title: "CreateExportRequest",
      type: "object",
      additionalProperties: false,
      properties: { format: formatSchema, ...FILTERS },
    },
    reply: { status: 201, description: "The export, which is running.", json: exportSchema },
    async run({ actor, body }) {
      const { format = "csv", ...filters } = body;
      const nowMs = platform.nowMs();
      const filter = withEndAt(nowMs, readRequestFilter(filters, actor, platform));
      const accountId = actor.role === "member" ? actor.accountId : (filters.account ?? null);
      const written = makeExport({ ownerId: exportOwner(actor), role: actor.role, accountId, format, filters }, nowMs);
      const added = Promise.withResolvers<void>();
      // The limit counts an export until its writer has noticed that it was stopped. Otherwise, repeatedly starting and deleting exports
      // would leave many searches running.
      const writing = platform.reportLimit.run(actor, "background export", async () => {
        added.resolve(add(written, platform));
        await added.promise;
        await writeExport({ written, filter, actor, pace }, platform);
      });
      writing.catch(added.reject);
      await added.promise;
      return viewExport(written);
    },
  });
}

async function add(added: RequestExport, { exports }: Platform): Promise<void> {
  if (await exports.add(added)) return;
  throw new ApiError("state_conflict", `You have ${MAX_EXPORTS} exports. Delete one first.`);
}

/** GET /api/exports: the caller's exports. There are few, so there are no pages. */
export function listExports(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports",
    access: members("usage:read"),
    operationId: "listExports",
    summary: "List your background exports, newest first",
    reply: {
      status: 200,
      description: "Your exports.",
      json: {
        title: "RequestExportList",
        type: "object",
        required: ["data"],
        properties: { data: { type: "array", items: exportSchema } },
      },
    },
    async run({ actor }) {
      const own = await platform.exports.listOf(exportOwner(actor));
      return { data: own.filter((each) => maySeeExport(actor, each)).map(viewExport) };
    },
  });
}

/** GET /api/exports/:id: the state of an export. */
export function showExport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports/:id",
    access: members("usage:read"),
    operationId: "showExport",
    summary: "Show the progress of a background export",
    reply: { status: 200, description: "The export.", json: exportSchema },
    async run({ actor, param }) {
      return viewExport(await findExport(param("id"), actor, platform));
    },
  });
}

/** GET /api/exports/:id/download: the file of an export. */
export function downloadExport(platform: Platform): Operation {
  return operation({
    method: "GET",
    path: "/api/exports/:id/download",
    access: members("usage:read"),
    operationId: "downloadExport",
    summary: "Download the file of a background export that is done",
    reply: fileReply,
    async run({ actor, param, exchange }) {
      const found = await findExport(param("id"), actor, platform);
      if (found.state !== "done") throw new ApiError("unknown_export", `The export has no file: it is ${found.state}.`);
      return new Reply(new TextStream(platform.exports.read(found), exchange), { headers: fileHeaders(found.format, found.createdAtMs) });
    },
  });
}

/** POST /api/exports/:id/cancel: stops an export. */
export function cancelExport(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/exports/:id/cancel",
    access: members("usage:read"),
    operationId: "cancelExport",
    summary: "Cancel a background export. An export that has ended stays unchanged.",
    reply: { status: 200, description: "The export.", json: exportSchema },
    async run({ actor, param }) {
      const { id } = await findExport(param("id"), actor, platform);
      await platform.exports.end(id, "cancelled");
      return viewExport(await findExport(id, actor, platform));
    },
  });
}

/** DELETE /api/exports/:id: deletes an export with its file. */
export function removeExport(platform: Platform): Operation {
  return operation({
    method: "DELETE",
    path: "/api/exports/:id",
    access: members("usage:read"),
    operationId: "removeExport",
    summary: "Delete a background export with its file. If it is running, it stops.",
    reply: { status: 200, description: "The deleted export.", json: exportSchema },
    async run({ actor, param }) {
      const found = await findExport(param("id"), actor, platform);
      await platform.exports.remove(found.id);
      return viewExport(found);
    },
  });
}
