import type { DeclaredTarget, Difference } from "../access/reload-report.ts";
import type { Log } from "../lib/log/log.ts";
import type { Secret } from "../lib/secret/secret.ts";
import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import type { DeclaredFile, DeclaredFileStore, DeclaredFileWriter } from "../stores/declared-file/declared-file-store.ts";
import type { InstanceStore } from "../stores/ledger/instance-store.ts";
import type { ConfigDeclarations } from "./config-file.ts";
import type { Declarations, RecordFile } from "./declarations.ts";
import { digestOfCopy } from "./file-copy.ts";
import { FileFollower } from "./file-follower.ts";
import type { FileDeclarations } from "./hot-reload.ts";
import { messageOf } from "../lib/text/message-of.ts";

interface SharedDeclarationsOptions {
  readonly declarations: Pick<Declarations, "adopt" | "declareFile" | "declareFileIf" | "previewFile" | "targets">;
  readonly store: DeclaredFileStore;
  readonly instances: Pick<InstanceStore, "hasConfigFile">;
  readonly hashSecret: Secret;
  readonly log: Pick<Log, "write">;
  readonly monotonicMs: () => number;
}

/** The file of this process. */
interface OwnFile {
  readonly path: string;
  readonly declared: ConfigDeclarations;
  readonly digest: string;
}

const CHECK_EVERY_MS = 10_000;
/** Longer than a restart takes: a process that comes back with the declared file keeps it declared. */
const ABANDONED_MS = 60_000;

/**
 * The config file of processes that share a database: one process declares it, and all processes serve it. A reload declares the file of
 * its process, on request or because the file has changed. A start does not replace a file that a live process has: it reports the
 * difference, and serves the declared file. If no live process has the declared file, the next start with a different file replaces it. If
 * no process starts, a running process with a different file replaces it after a minute.
 */
export class SharedDeclarations implements FileDeclarations {
  readonly #options: SharedDeclarationsOptions;
  readonly #followed: FileFollower;
  #own: OwnFile | undefined;
  #abandonedSinceMs: number | undefined;
  #timer: Timer | undefined;

  constructor(options: SharedDeclarationsOptions) {
    this.#options = options;
    this.#followed = new FileFollower({
      ...options,
      serveOwn: (writer) => this.#serveOwn(writer),
      changed: (file) => this.#changed(file),
      rejected: (problem, isOwn) => this.#rejected(problem, isOwn),
    });
  }

  /**
   * `own` is the file of this process, if it has one. Throws `ConfigError` if that file has to be declared and conflicts with the stored
   * state.
   */
  async start(own: ConfigDeclarations | undefined, record: RecordFile): Promise<void> {
    this.#own = own && this.#toOwn(own);
    await this.#followed.start();
    await this.#declareUnlessHeld(record);
    this.#reportDifference();
    this.#timer = setInterval(() => void this.check(record), CHECK_EVERY_MS);
    this.#timer.unref();
  }

  get ownDigest(): string | undefined {
    return this.#own?.digest;
  }

  hasRead(declared: ConfigDeclarations): boolean {
    return this.#own !== undefined && this.#toOwn(declared)?.digest === this.#own.digest;
  }

  async declareFile(declared: ConfigDeclarations, record: RecordFile): Promise<Difference> {
    const difference = await this.#options.declarations.declareFile(declared, record);
    this.#own = this.#toOwn(declared);
    this.#followed.declared();
    return difference;
  }

  targets(): readonly DeclaredTarget[] {
    return this.#options.declarations.targets();
  }

  previewFile(declared: ConfigDeclarations): Promise<Difference> {
    return this.#options.declarations.previewFile(declared);
  }

  /** Declares the file of this process if no live process has had the declared file for a while. */
  async check(record: RecordFile): Promise<void> {
    const { log, monotonicMs } = this.#options;
    try {
      const isAbandoned = this.#differs() && !(await this.#isHeld());
      this.#abandonedSinceMs = isAbandoned ? (this.#abandonedSinceMs ?? monotonicMs()) : undefined;
      if (!isAbandoned || monotonicMs() - this.#abandonedSinceMs! < ABANDONED_MS) return;
      this.#abandonedSinceMs = undefined;
      if (await this.#declareUnlessHeld(record)) {
        log.write({ event: "config_declared", message: `${this.#own!.path} is declared for all processes: none has the file before it` });
      }
    } catch (error) {
      // An unavailable database is reported by the ledger.
      if (error instanceof StorageUnavailable) return;
      const problem = messageOf(error);
      log.write({ level: "warn", event: "config_rejected", message: `the config file of this process cannot be declared: ${problem}` });
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Returns whether the file was declared. */
  async #declareUnlessHeld(record: RecordFile): Promise<boolean> {
    const { declarations, store } = this.#options;
    const own = this.#own;
    for (;;) {
      const seen = store.current()?.digest;
      if (!own || seen === own.digest || (await this.#isHeld())) return false;
      // Another process may have declared a file meanwhile.
      const isStill = (): boolean => store.current()?.digest === seen;
      if (!(await declarations.declareFileIf(isStill, own.declared, record))) continue;
      this.#followed.declared();
      return true;
    }
  }

  async #isHeld(): Promise<boolean> {
    const { store, instances } = this.#options;
    const file = store.current();
    return file !== undefined && instances.hasConfigFile(file.digest, file.declaredBy);
  }

  #changed(file: DeclaredFile): void {
    this.#options.log.write({ event: "config_reloaded", message: "another process has declared another config file, which is served" });
    this.#reportDifference(file);
  }

  #rejected(problem: string, isOwn: boolean): void {
    const instead = isOwn ? "the file of this process is served" : "the previous configuration stays in force";
    const message = `the declared config file cannot be read, and ${instead}: ${problem}`;
    this.#options.log.write({ level: "warn", event: "config_rejected", message });
  }

  async #serveOwn(writer: DeclaredFileWriter): Promise<boolean> {
    if (this.#own) await this.#options.declarations.adopt(this.#own.declared, writer);
    return this.#own !== undefined;
  }

  #reportDifference(file = this.#options.store.current()): void {
    if (!this.#differs(file)) return;
    const message = `${this.#own!.path} differs from the config file that is declared for all processes, which is served; tollgate config reload, or SIGHUP, declares this one`;
    this.#options.log.write({ level: "warn", event: "config_differs", message });
  }

  #differs(file = this.#options.store.current()): boolean {
    return this.#own !== undefined && file !== undefined && file.digest !== this.#own.digest;
  }

  #toOwn(declared: ConfigDeclarations): OwnFile | undefined {
    const { copy } = declared;
    return copy && { path: copy.path, declared, digest: digestOfCopy(copy, this.#options.hashSecret) };
  }
}
