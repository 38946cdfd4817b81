import { ConfigError } from "./config-error.ts";
import { readDeclared } from "../config.ts";
import type { ConfigDeclarations } from "./config-file.ts";
import type { RecordFile } from "./declarations.ts";
import type { Log } from "../lib/log/log.ts";
import { fileChange, type Target } from "../access/change.ts";
import {
  isNothing,
  joinDifferences,
  type ConfigComparison,
  type DeclaredTarget,
  type Difference,
  type ReloadReport,
} from "../access/reload-report.ts";
import { summarizeList } from "../lib/text/summarize-list.ts";
import { ApiError } from "../requests/api-error.ts";
import { catalogWarnings, priceListWarnings } from "./warnings.ts";
import { watchFiles } from "./watch-files.ts";
import { messageOf } from "../lib/text/message-of.ts";

/** The result of the last reload, and when the current configuration came into force. */
interface FileState {
  readonly isRefused: boolean;
  readonly inForceSinceMs: number;
}

/** Applies the file. */
export interface FileDeclarations {
  declareFile(declared: ConfigDeclarations, record: RecordFile): Promise<Difference>;
  /** Whether this process has read the same file before. Such a file is applied again only on request. */
  hasRead?(declared: ConfigDeclarations): boolean;
  /** The declared resources that are in force. */
  targets(): readonly DeclaredTarget[];
  /** The changes that applying the file would make. Throws if the file would be rejected. Changes nothing. */
  previewFile(declared: ConfigDeclarations): Promise<Difference>;
}

/** Hot reload of the config file, on request or when the file changes. Only one reload runs at a time, and the newest file wins. */
export class HotReload {
  readonly path: string;
  readonly #declarations: FileDeclarations;
  readonly #log: Pick<Log, "write">;
  readonly #nowMs: () => number;
  readonly #stopWatching: () => void;
  #isRefused = false;
  #state: FileState;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, declarations: FileDeclarations, log: Pick<Log, "write">, nowMs: () => number) {
    this.path = path;
    this.#declarations = declarations;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#state = { isRefused: false, inForceSinceMs: nowMs() };
    this.#stopWatching = watchFiles([path], () => void this.#onChange());
  }

  get state(): FileState {
    return this.#state;
  }

  /** The declared resources, and the changes that a reload would make. */
  async compare(): Promise<ConfigComparison> {
    const declared = this.#declarations.targets();
    try {
      return { declared, pending: await this.#declarations.previewFile(await readDeclared(this.path)) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { declared, problem: `${error.message}.` };
    }
  }

  /** Reloads the file on request. Throws if it is invalid: then nothing has changed. */
  async reload(record: RecordFile): Promise<ReloadReport> {
    try {
      return await this.#inTurn(() => this.#run(record));
    } catch (error) {
      throw error instanceof ConfigError ? new ApiError("invalid_config", `${error.message}.`) : error;
    }
  }

  /** Reloads the file without a caller, and logs the result. */
  onSignal(): Promise<void> {
    return this.#forLog(
      (record) => this.#run(record),
      () => true,
    );
  }

  /** A reload without changes is not logged, unless the file was rejected before. */
  #onChange(): Promise<void> {
    const wasRefused = this.#isRefused;
    return this.#forLog(
      (record) => this.#runIfNew(record),
      ({ changed }) => wasRefused || !isNothing(changed),
    );
  }

  async #forLog(run: (record: RecordFile) => Promise<ReloadReport>, isLogged: (report: ReloadReport) => boolean): Promise<void> {
    try {
      const report = await this.#inTurn(() => run(recordOf("config.reload", this.path, this.#nowMs)));
      if (isLogged(report)) this.#log.write({ event: "config_reloaded", message: summarizeReport(report) });
      this.#isRefused = false;
    } catch (error) {
      const problem = messageOf(error);
      const message = `the config file was rejected, and the previous configuration stays in force: ${problem}`;
      this.#log.write({ level: "warn", event: "config_rejected", message });
      this.#isRefused = true;
    }
  }

  #inTurn(work: () => Promise<ReloadReport>): Promise<ReloadReport> {
    const run = this.#last.then(work);
    this.#last = run.then(
      () => (this.#state = { isRefused: false, inForceSinceMs: this.#nowMs() }),
      () => (this.#state = { ...this.#state, isRefused: true }),
    );
    return run;
  }

  async #run(record: RecordFile): Promise<ReloadReport> {
    const declared = await readDeclared(this.path);
    return this.#toReport(declared, await this.#declarations.declareFile(declared, record));
  }

  async #runIfNew(record: RecordFile): Promise<ReloadReport> {
    const declared = await readDeclared(this.path);
    const isKnown = this.#declarations.hasRead?.(declared) ?? false;
    return this.#toReport(declared, isKnown ? joinDifferences([]) : await this.#declarations.declareFile(declared, record));
  }

  #toReport(declared: ConfigDeclarations, changed: Difference): ReloadReport {
    const { upstreams, catalog, priceLists, accounts } = declared;
    const warnings = [...catalogWarnings(catalog, this.#nowMs()), ...priceListWarnings(priceLists, catalog, "the file")];
    const counts = { upstreams: upstreams.length, models: catalog.size, price_lists: priceLists.length, accounts: accounts.length };
    return { file: this.path, ...counts, changed, warnings };
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
  return targets.length === 0 ? [] : [`${before}${summarizeTargets(targets)}${after}`];
}

function summarizeTargets(targets: readonly Target[]): string {
  return summarizeList(targets.map(({ kind, id }) => `${kind} ${id}`));
}

/** An account has credit and keys, so it still exists after a file omits it. */
function isAccount({ kind }: Target): boolean {
  return kind === "account";
}
