import { ConfigError } from "./config-error.ts";
import { readDeclared } from "../config.ts";
import type { Declarations, RecordFile } from "./declarations.ts";
import type { Log } from "../lib/log/log.ts";
import { fileChange, type Target } from "../access/change.ts";
import { isNothing, type ReloadReport } from "./reload-report.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";
import { GatewayError } from "../requests/gateway-error.ts";
import { remarksOn } from "./warnings.ts";
import { watchFile } from "./watch-file.ts";

/** How the last reading of the config file went, and since when what is in force is. */
export interface FileState {
  readonly isRefused: boolean;
  readonly inForceSinceMs: number;
}

/** Reads the config file again, by order or when it changes: one reading at a time, and the newest one counts. */
export class Reload {
  readonly path: string;
  readonly #declarations: Declarations;
  readonly #log: Pick<Log, "write">;
  readonly #nowMs: () => number;
  readonly #stopWatching: () => void;
  #isRefused = false;
  #state: FileState;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, declarations: Declarations, log: Pick<Log, "write">, nowMs: () => number) {
    this.path = path;
    this.#declarations = declarations;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#state = { isRefused: false, inForceSinceMs: nowMs() };
    this.#stopWatching = watchFile(path, () => void this.#onChange());
  }

  get state(): FileState {
    return this.#state;
  }

  /** Reads the file for somebody who hears what came of it. Throws what is wrong with it: nothing has changed then. */
  async forCaller(record: RecordFile): Promise<ReloadReport> {
    try {
      return await this.#inTurn(record);
    } catch (error) {
      throw error instanceof ConfigError ? new GatewayError("invalid_config", `${error.message}.`) : error;
    }
  }

  /** Reads the file for somebody who cannot be answered, and tells the log. */
  onSignal(): Promise<void> {
    return this.#forLog(() => true);
  }

  /** A file that was merely touched is nothing to talk about, unless it was refused before. */
  #onChange(): Promise<void> {
    const wasRefused = this.#isRefused;
    return this.#forLog(({ changed }) => wasRefused || !isNothing(changed));
  }

  async #forLog(isTold: (report: ReloadReport) => boolean): Promise<void> {
    try {
      const report = await this.#inTurn(recordOf("config.reload", this.path, this.#nowMs));
      if (isTold(report)) this.#log.write({ event: "config_reloaded", message: inWords(report) });
      this.#isRefused = false;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const message = `the config file was refused, and what was in force stays: ${problem}`;
      this.#log.write({ level: "warn", event: "config_refused", message });
      this.#isRefused = true;
    }
  }

  #inTurn(record: RecordFile): Promise<ReloadReport> {
    const run = this.#last.then(() => this.#run(record));
    this.#last = run.then(
      () => (this.#state = { isRefused: false, inForceSinceMs: this.#nowMs() }),
      () => (this.#state = { ...this.#state, isRefused: true }),
    );
    return run;
  }

  async #run(record: RecordFile): Promise<ReloadReport> {
    const declared = await readDeclared(this.path);
    const changed = await this.#declarations.declareFile(declared, record);
    const { upstreams, catalog, accounts } = declared;
    const remarks = remarksOn(catalog, this.#nowMs());
    return { file: this.path, upstreams: upstreams.length, models: catalog.size, accounts: accounts.length, changed, remarks };
  }

  /** Resolves when no reading is under way and none will be begun by a change of the file. */
  async close(): Promise<void> {
    this.#stopWatching();
    await this.#last;
  }
}

/** The record of what a file has changed without anybody's order. */
export function recordOf(action: "config.load" | "config.reload", path: string, nowMs: () => number): RecordFile {
  return (before, after) => fileChange(action, { kind: "config", id: path }, { before, after }, nowMs());
}

function inWords({ file, changed, remarks }: ReloadReport): string {
  const parts = [
    ...part("added ", changed.added),
    ...part("changed ", changed.changed),
    ...part(
      "removed ",
      changed.removed.filter((each) => !isAccount(each)),
    ),
    ...part("no longer in the file: ", changed.removed.filter(isAccount), ", which stays as it is"),
  ];
  return `${file} was read again: ${[parts.join("; ") || "nothing in it has changed", ...remarks].join("; ")}`;
}

function part(before: string, targets: readonly Target[], after = ""): string[] {
  return targets.length === 0 ? [] : [`${before}${few(targets)}${after}`];
}

function few(targets: readonly Target[]): string {
  return summarizeList(targets.map(({ kind, id }) => `${kind} ${id}`));
}

/** An account has credit and keys, which do not end because a file forgets it. */
function isAccount({ kind }: Target): boolean {
  return kind === "account";
}
