import type { LogWriterOptions } from "./log-writer.ts";
import { QueuedRequestLogStore } from "./queued-request-log-store.ts";
import { Retention, type RetentionOptions } from "./retention.ts";
import { CurrentDay, type CurrentDayOptions } from "./sqlite/current-day.ts";
import { DayFiles } from "./sqlite/day-files.ts";
import { FileLogWriter } from "./sqlite/file-log-writer.ts";
import { LogFolder } from "./sqlite/log-folder.ts";

const CLOSE_IDLE_EVERY_MS = 10_000;

export interface RequestLogOptions extends Pick<CurrentDayOptions, "reportDamaged">, LogWriterOptions, RetentionOptions {
  /** The folder of the day files. It may be missing or unwritable at any time. */
  readonly folder: string;
}

/** The request log, in one SQLite file for each day: retention deletes files, and the ledger's database is never locked. */
export class EmbeddedRequestLogStore extends QueuedRequestLogStore {
  readonly #files: DayFiles;
  readonly #timer: Timer;

  constructor(options: RequestLogOptions) {
    const folder = new LogFolder(options.folder);
    const retention = new Retention(options);
    const current = new CurrentDay({ ...options, folder, retention, forget: (day) => files.close(day) });
    const files = new DayFiles(folder, current);
    super(files, new FileLogWriter(options, retention, current), retention, options);
    this.#files = files;
    this.#timer = setInterval(() => files.closeIdle(), CLOSE_IDLE_EVERY_MS).unref();
  }

  override async close(): Promise<void> {
    clearInterval(this.#timer);
    await super.close();
    this.#files.closeAll();
  }
}
