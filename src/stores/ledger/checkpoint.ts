import { closeSync, fdatasync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Database as SqliteFile, type Statement } from "bun:sqlite";

/** About a thousand pages, which are copied in a millisecond. Less would be copied oftener: many pages are the same ones again. */
const COMMITS_BETWEEN = 128;

/** What the disk has refused is tried again after this. */
const RETRY_MS = 1000;

/** Resolves when all that was written to a file is on the disk. */
export type Sync = (fd: number) => Promise<void>;

/**
 * Takes SQLite's log over into its file, and waits for the disk beside the requests. SQLite does both behind a commit, in one piece, and a
 * hundredth of all requests waited ten milliseconds for it.
 *
 * A log may only begin anew when what it had is in the file and on the disk. While a reader looks at what is there, SQLite copies
 * nothing that came after it, and does not begin the log anew. So there is one, from before the log is on the disk until the file is.
 */
export class Checkpoint {
  readonly #log: number;
  readonly #database: number;
  readonly #reader: SqliteFile;
  readonly #look: Statement;
  readonly #copier: SqliteFile;
  readonly #copy: Statement;
  readonly #sync: Sync;
  #commits = 0;
  #underWay: Promise<void> | undefined;
  #isClosed = false;

  /** Of a database that is open, and stays so for longer. */
  constructor(path: string, sync: Sync = promisify(fdatasync)) {
    this.#log = openSync(`${path}-wal`, "r");
    this.#database = openSync(path, "r");
    this.#sync = sync;
    this.#reader = new SqliteFile(path, { strict: true, readonly: true });
    this.#look = this.#reader.prepare("select 1 from sqlite_schema limit 1");
    this.#copier = new SqliteFile(path, { strict: true });
    // It only copies, and the disk is waited for here.
    this.#copier.run("pragma synchronous = off");
    this.#copy = this.#copier.prepare("pragma wal_checkpoint(passive)");
  }

  /** While it is, whoever can wait should commit nothing: the log begins anew where nothing was added to it meanwhile. */
  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Something was committed. */
  committed(): void {
    if (++this.#commits < COMMITS_BETWEEN || this.#underWay) return;
    this.#commits = 0;
    this.#underWay = this.#takeOver().finally(() => (this.#underWay = undefined));
  }

  /** By POSIX, to close a descriptor of a file drops all locks of the process on it: nobody else here may have it open any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#underWay;
    for (const statement of [this.#look, this.#copy]) statement.finalize();
    this.#reader.close();
    // Whoever is the last to close a database takes over what is left, and has to wait for the disk.
    this.#copier.run("pragma synchronous = full");
    this.#copier.close();
    for (const fd of [this.#log, this.#database]) closeSync(fd);
  }

  async #takeOver(): Promise<void> {
    this.#reader.run("begin");
    try {
      this.#look.get();
      if (await this.#isOnDisk(this.#log)) {
        this.#copy.get();
        await this.#isOnDisk(this.#database);
      }
    } catch {
      // A lock or a full disk is in the way. The log is still there, and the next time comes.
    }
    this.#reader.run("commit");
  }

  /** Whether all that was written to it is on the disk. What the disk refuses is tried again, until the end. */
  async #isOnDisk(fd: number): Promise<boolean> {
    for (;;) {
      try {
        await this.#sync(fd);
        return true;
      } catch {
        if (this.#isClosed) return false;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
