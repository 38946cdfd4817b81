import { BodyWriter, type BodyWriterOptions } from "./bodies/body-writer.ts";
import { CurrentDay, type CurrentDayOptions } from "./sqlite/current-day.ts";
import { DayFiles } from "./sqlite/day-files.ts";
import { LogFolder } from "./sqlite/log-folder.ts";
import { LogWriter } from "./log-writer.ts";
import { MirrorQueue } from "./mirrors/mirror-queue.ts";
import { QueuedRequestLogStore } from "./queued-request-log-store.ts";
import { RequestQueue } from "./request-queue.ts";
import { Retention } from "./retention.ts";
import type { Clocks } from "./trusted-wall-clock.ts";

const CLOSE_IDLE_EVERY_MS = 10_000;

export interface RequestLogOptions extends Pick<CurrentDayOptions, "report" | "reportDamaged">, BodyWriterOptions, Clocks {
  /** The folder of the day files. It may be missing or unwritable at any time. */
  readonly folder: string;
  /** Retention in days after the end of a day. 0 disables the log and deletes existing files. */
  readonly days: number;
  readonly maxBytes: number;
}

/** The request log, in one SQLite file for each day: retention deletes files, and the ledger's database is never locked. */
export class EmbeddedRequestLogStore extends QueuedRequestLogStore {
  readonly #files: DayFiles;
  readonly #timer: Timer;

  constructor(options: RequestLogOptions) {
    const folder = new LogFolder(options.folder);
    const forget = (day: string): void => files.close(day);
    const retention = new Retention({ ...options, folder, forget });
    const current = new CurrentDay({ ...options, folder, retention, forget });
    const files = new DayFiles(folder, current);
    const queue = new RequestQueue();
    const bodies = new BodyWriter(options);
    const mirrors = new MirrorQueue(async (results) => {
      return retention.isFull || current.write(options.nowMs(), (writer) => writer.writeMirrors(results));
    }, options.redactSecrets);
    super({
      isOn: options.days > 0,
      queue,
      bodies,
      mirrors,
      writer: new LogWriter({ ...options, queue, bodies, retention, current }),
      database: files,
    });
    this.#files = files;
    this.#timer = setInterval(() => files.closeIdle(), CLOSE_IDLE_EVERY_MS).unref();
  }

  override async close(): Promise<void> {
    clearInterval(this.#timer);
    await super.close();
    this.#files.closeAll();
  }
}
