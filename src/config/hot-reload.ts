import { ConfigError } from "./config-error.ts";
import { readDeclared } from "../config.ts";
import type { Declarations, RecordFile } from "./declarations.ts";
import type { Log } from "../lib/log/log.ts";
import { fileChange, type Target } from "../access/change.ts";
import { isNothing, type ReloadReport } from "../access/reload-report.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";
import { ApiError } from "../requests/api-error.ts";
import { catalogWarnings } from "./warnings.ts";
import { watchFile } from "./watch-file.ts";

/** The result of the last reload, and the time since when the current configuration is in force. */
export interface FileState {
  readonly isRefused: boolean;
  readonly inForceSinceMs: number;
}

/** Hot reload of the config file, on request or when it changes: one reload at a time, and the newest file wins. */
export class HotReload {
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

  /** Reloads the file on request. Throws when it is invalid: then nothing has changed. */
  async reload(record: RecordFile): Promise<ReloadReport> {
    try {
      return await this.#inTurn(record);
    } catch (error) {
      throw error instanceof ConfigError ? new ApiError("invalid_config", `${error.message}.`) : error;
    }
  }

  /** Reloads the file without a caller, and logs the result. */
  onSignal(): Promise<void> {
    return this.#forLog(() => true);
  }

  /** A file that was merely touched is not logged, unless it was rejected before. */
  #onChange(): Promise<void> {
    const wasRefused = this.#isRefused;
    return this.#forLog(({ changed }) => wasRefused || !isNothing(changed));
  }

  async #forLog(isLogged: (report: ReloadReport) => boolean): Promise<void> {
    try {
      const report = await this.#inTurn(recordOf("config.reload", this.path, this.#nowMs));
      if (isLogged(report)) this.#log.write({ event: "config_reloaded", message: summarizeReport(report) });
      this.#isRefused = false;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const message = `the config file was rejected, and the previous configuration stays in force: ${problem}`;
      this.#log.write({ level: "warn", event: "config_rejected", message });
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
    const warnings = catalogWarnings(catalog, this.#nowMs());
    return { file: this.path, upstreams: upstreams.length, models: catalog.size, accounts: accounts.length, changed, warnings };
  }

  /** Resolves when no reload is in progress and no change of the file will start one. */
  async close(): Promise<void> {
    this.#stopWatching();
    await this.#last;
  }
}

/** Creates the audit record of a reload that no person triggered. */
export function recordOf(action: "config.load" | "config.reload", path: string, nowMs: () => number): RecordFile {
  return (before, after) => fileChange(action, { kind: "config", id: path }, { before, after }, nowMs());
}

function summarizeReport({ file, changed, warnings }: ReloadReport): string {
  const parts = [
    ...part("added ", changed.added),
    ...part("changed ", changed.changed),
    ...part(
      "removed ",
      changed.removed.filter((each) => !isAccount(each)),
    ),
    ...part("no longer in the file: ", changed.removed.filter(isAccount), ", which keeps its settings"),
  ];
  return `${file} was reloaded: ${[parts.join("; ") || "nothing has changed", ...warnings].join("; ")}`;
}

function part(before: string, targets: readonly Target[], after = ""): string[] {
  return targets.length === 0 ? [] : [`${before}${few(targets)}${after}`];
}

function few(targets: readonly Target[]): string {
  return summarizeList(targets.map(({ kind, id }) => `${kind} ${id}`));
}

/** An account has credit and keys, which do not end when a file omits it. */
function isAccount({ kind }: Target): boolean {
  return kind === "account";
}
