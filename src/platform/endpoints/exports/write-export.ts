import type { Actor } from "../../../access/access.ts";
import { MAX_EXPORT_BYTES, type RequestExport } from "../../../access/request-export.ts";
import { ApiError } from "../../../requests/api-error.ts";
import type { RequestFilter } from "../../../stores/request-log/request-log-store.ts";
import type { Platform } from "../../platform.ts";
import { exportedPieces } from "../requests/exported-pieces.ts";

/** The pause between slices, several times as long as a slice takes: nobody waits, and requests get the CPU time. */
const REST_MS = 10;
const CHUNK_LENGTH = 256 * 1024;
/** A chunk is written earlier where few requests match, so that the progress is seen. */
const WRITE_EVERY_MS = 1000;

const TOO_LARGE =
  "The file would be larger than 1 GiB. Choose a shorter time or more filters, or use GET /api/requests/export, which has no limit.";
const NO_ROOM = "There is no room for the file. Delete exports, or try again when others have expired.";
const FAILED = "The export could not be written. Try again later.";

/** Makes the exports of a process take turns: however many there are, one slice is read per pause. */
export class ExportPace {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the turn of the caller. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => Bun.sleep(REST_MS));
    return this.#last;
  }
}

export interface WrittenExport {
  readonly written: Pick<RequestExport, "id" | "format">;
  readonly filter: RequestFilter | undefined;
  readonly actor: Actor;
  readonly pace: ExportPace;
  readonly maxBytes?: number;
}

/** Writes an export to its end, unless it is stopped before. Never throws: the state of the export says what happened. */
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
    // Where that is not possible, the export is interrupted.
    await platform.exports.end(id, "failed", reason).catch(() => undefined);
  }
}

/** Returns why the export cannot be completed, if so. One that was stopped has ended already. */
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

/** Not recorded: an export that was stopped has ended already. */
const STOPPED = "The export was stopped.";

async function countExactly(filter: RequestFilter | undefined, actor: Actor, platform: Platform): Promise<number | null> {
  if (!filter) return 0;
  try {
    const { count, isExact } = await platform.reportLimit.run(actor, "request scan", () => platform.requestLog.count(filter));
    return isExact ? count : null;
  } catch (error) {
    // The caller is counting other requests. The export does not need the total.
    if (error instanceof ApiError) return null;
    throw error;
  }
}
