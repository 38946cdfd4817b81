import { SupervisedProcess, type StartedProgram } from "./supervised-process.ts";
import type { Hello } from "./messages.ts";
import { messageOf } from "../lib/text/message-of.ts";

const FIRST_BACK_OFF_MS = 100;
const MAX_BACK_OFF_MS = 10_000;
/** A process that has served for this long is replaced without delay. */
const STABLE_MS = 30_000;
/** A connected process reports every second. If it is silent for this long, it hangs, and serves no requests. */
const MAX_SILENCE_MS = 30_000;
const CHECK_EVERY_MS = 1000;
/** How long a process may take to stop. */
const STOP_TIMEOUT_MS = 10_000;

/** Events of the supervisor about its processes. */
export type ProcessEvent =
  | { readonly kind: "ended"; readonly id: string; readonly exitCode: number | undefined; readonly restartInMs: number }
  | { readonly kind: "hung"; readonly id: string }
  | { readonly kind: "start_timeout"; readonly id: string }
  | { readonly kind: "restarted"; readonly count: number }
  | { readonly kind: "restart_failed"; readonly reason: string };

interface SupervisorOptions {
  /** The number of gateway processes. */
  readonly count: number;
  readonly newId: () => string;
  readonly spawn: (id: string) => StartedProgram;
  /** Tells a process to stop accepting connections, and to end when its requests have ended. */
  readonly drain: (process: SupervisedProcess) => void;
  /** Tells a process to end now. */
  readonly stop: (process: SupervisedProcess) => void;
  readonly kill: (pid: number) => void;
  /**
   * Brings the journal of a process that has ended into the ledger. Resolves with all processes whose journals are now in the ledger,
   * including processes that could not be recovered earlier. Other processes stay listed, because their leases are still open.
   */
  readonly recover: (id: string) => Promise<readonly string[]>;
  /** The time since the last message of a process; undefined if it is not connected. */
  readonly silenceMs: (id: string) => number | undefined;
  /** How long a drain may take. */
  readonly drainMs: number;
  /** The maximum time until a process serves requests. After that it counts as hanging, and is killed. */
  readonly startTimeoutMs: number;
  readonly settingsDigest: string;
  readonly nowMs: () => number;
  readonly report: (event: ProcessEvent) => void;
  readonly reportFailure: (thrown: unknown) => void;
}

/**
 * Keeps the gateway processes running. It starts them, replaces a process that has ended, ends a process that hangs, and replaces all of
 * them one after the other in a rolling restart.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #processes = new Map<string, SupervisedProcess>();
  /** Resolves when a process has ended and its journal is in the ledger. */
  readonly #recovered = new WeakMap<SupervisedProcess, Promise<void>>();
  readonly #check: Timer;
  #backOffMs = 0;
  /** Until then, `start` replaces processes that have ended. */
  #isStarted = false;
  #isStopping = false;
  #restarting: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#check = setInterval(() => this.#endHung(), CHECK_EVERY_MS);
  }

  get processes(): readonly SupervisedProcess[] {
    return [...this.#processes.values()];
  }

  get isRestarting(): boolean {
    return this.#restarting !== undefined;
  }

  /** Takes over a process of an earlier owner. */
  adopt(id: string, program: StartedProgram): void {
    this.#watch(new SupervisedProcess(id, program, this.#options.nowMs(), true));
  }

  joined(hello: Hello): void {
    this.#processes.get(hello.id)?.joined(hello);
  }

  left(id: string): void {
    this.#processes.get(id)?.left();
  }

  listening(id: string): void {
    this.#processes.get(id)?.listening();
  }

  /** Starts the missing processes, and resolves when all processes serve requests. Throws if one of them ends before. */
  async start(): Promise<void> {
    while (this.#serving.length < this.#options.count) await this.#startOne().live;
    this.#isStarted = true;
    for (const extra of this.#serving.slice(this.#options.count)) void this.#end(extra);
    if (this.#serving.some(({ settingsDigest }) => settingsDigest !== this.#options.settingsDigest)) void this.restart();
  }

  /**
   * Rolling restart: starts a replacement for each process, and ends the old process when the new one serves requests. Resolves when all
   * are replaced, or when a new process could not be started. Only one restart is in progress at a time.
   */
  restart(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = undefined));
    return this.#restarting;
  }

  /** Stops accepting connections in all processes, and resolves when all have ended. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#check);
    await Promise.all(this.processes.map((each) => this.#end(each)));
  }

  /** Ends all processes now. */
  async close(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#check);
    await Promise.all(this.processes.map((each) => this.#stop(each)));
  }

  get #serving(): SupervisedProcess[] {
    return this.processes.filter((each) => !each.isDraining && !each.hasEnded);
  }

  #startOne(): SupervisedProcess {
    const { newId, spawn, nowMs } = this.#options;
    const id = newId();
    const started = new SupervisedProcess(id, spawn(id), nowMs());
    this.#watch(started);
    this.#limitStart(started);
    return started;
  }

  #limitStart(process: SupervisedProcess): void {
    const { report, startTimeoutMs } = this.#options;
    const timer = setTimeout(() => {
      report({ kind: "start_timeout", id: process.id });
      this.#kill(process);
    }, startTimeoutMs);
    process.live.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
  }

  #watch(process: SupervisedProcess): void {
    this.#processes.set(process.id, process);
    const recovered = process.exited.then(() => this.#recover(process));
    this.#recovered.set(process, recovered);
    void recovered.then(() => this.#replaceLost(process));
  }

  async #recover({ id }: SupervisedProcess): Promise<void> {
    try {
      for (const ended of await this.#options.recover(id)) this.#processes.delete(ended);
    } catch (error) {
      this.#options.reportFailure(error);
    }
  }

  /** If a process of this owner never served, the code that started it handles its end. */
  async #replaceLost(process: SupervisedProcess): Promise<void> {
    const { report, nowMs } = this.#options;
    if (process.isDraining || this.#isStopping || !(process.hasServed || process.isSurvivor)) return;
    if (nowMs() - process.startedAtMs > STABLE_MS) this.#backOffMs = 0;
    report({ kind: "ended", id: process.id, exitCode: await process.exited, restartInMs: this.#backOffMs });
    if (this.#isStarted) await this.#replace();
  }

  /** Starts a replacement, with back-off: a program that cannot start at all must not occupy the whole machine. */
  async #replace(): Promise<void> {
    while (!this.#isStopping && this.#serving.length < this.#options.count) {
      const waitMs = this.#backOffMs;
      this.#backOffMs = Math.min(MAX_BACK_OFF_MS, this.#backOffMs * 2 || FIRST_BACK_OFF_MS);
      await Bun.sleep(waitMs);
      if (this.#isStopping || this.#serving.length >= this.#options.count) return;
      await this.#startOne().live.catch(this.#options.reportFailure);
    }
  }

  async #restart(): Promise<void> {
    const before = this.#serving;
    try {
      for (const old of before) {
        if (this.#isStopping) return;
        // A replacement has already been started.
        if (old.hasEnded) continue;
        await this.#startOne().live;
        await this.#end(old);
      }
      this.#options.report({ kind: "restarted", count: before.length });
    } catch (error) {
      this.#options.report({ kind: "restart_failed", reason: messageOf(error) });
      // If a process was lost meanwhile, it was not replaced, because the new process made up for it.
      void this.#replace();
    }
  }

  /** Ends a process when its requests have ended. */
  async #end(process: SupervisedProcess): Promise<void> {
    if (process.hasEnded) return this.#recovered.get(process);
    process.isDraining = true;
    this.#options.drain(process);
    if (!(await endsWithin(process, this.#options.drainMs))) return this.#stop(process);
    await this.#recovered.get(process);
  }

  async #stop(process: SupervisedProcess): Promise<void> {
    // By now its pid may belong to another program.
    if (process.hasEnded) return this.#recovered.get(process);
    process.isDraining = true;
    this.#options.stop(process);
    // A process whose pid is unknown can only end by itself.
    if (!(await endsWithin(process, STOP_TIMEOUT_MS)) && !this.#kill(process)) return;
    await this.#recovered.get(process);
  }

  #kill({ pid }: SupervisedProcess): boolean {
    if (pid === undefined) return false;
    this.#options.kill(pid);
    return true;
  }

  #endHung(): void {
    for (const process of this.processes) {
      const silenceMs = this.#options.silenceMs(process.id);
      if (process.hasEnded || silenceMs === undefined || silenceMs < MAX_SILENCE_MS) continue;
      this.#options.report({ kind: "hung", id: process.id });
      this.#kill(process);
    }
  }
}

function endsWithin({ exited }: SupervisedProcess, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  void exited.then(() => resolve(true));
  return promise.finally(() => clearTimeout(timer));
}
