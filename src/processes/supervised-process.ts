import type { Hello } from "./messages.ts";

/** A program that was started. */
export interface StartedProgram {
  /** Undefined for a survivor whose folder does not contain its pid, until it connects. */
  readonly pid: number | undefined;
  /** Resolves with its exit code when it has ended; with undefined if the code is unknown. */
  readonly exited: Promise<number | undefined>;
}

/**
 * `starting`: it does not listen yet. `live`: it is connected and listens. `disconnected`: it has lost its connection and may come back, or
 * it has ended and its journal is not applied yet.
 */
type ProcessState = "starting" | "live" | "disconnected" | "draining";

/** A gateway process from its supervisor's point of view. */
export class SupervisedProcess {
  readonly id: string;
  pid: number | undefined;
  startedAtMs: number;
  /** The digest of its settings: a survivor's settings may differ from the settings of new processes. */
  settingsDigest = "";
  /** Resolves when it has ended. A survivor of an earlier owner is not a child of this process: its end is detected by its lock. */
  readonly exited: Promise<number | undefined>;
  readonly #live = Promise.withResolvers<void>();
  #isConnected = false;
  #isListening = false;
  /** Whether it was started by an earlier owner. */
  readonly isSurvivor: boolean;
  isDraining = false;
  hasEnded = false;

  constructor(id: string, { pid, exited }: StartedProgram, nowMs: number, isSurvivor = false) {
    this.id = id;
    this.isSurvivor = isSurvivor;
    this.pid = pid;
    this.startedAtMs = nowMs;
    this.exited = exited;
    void exited.then(() => this.#end());
    this.#live.promise.catch(() => undefined);
  }

  #end(): void {
    this.hasEnded = true;
    this.#live.reject(new Error(`the gateway process ${this.id} has ended before it could serve requests`));
  }

  get state(): ProcessState {
    // It is listed until its journal is in the ledger.
    if (this.hasEnded) return "disconnected";
    if (this.isDraining) return "draining";
    if (!this.#isListening) return "starting";
    return this.#isConnected ? "live" : "disconnected";
  }

  /** Whether it has served requests. Such a process is replaced when it ends. */
  get hasServed(): boolean {
    return this.#isListening;
  }

  /** Resolves when it serves requests for the first time; rejects if it ends before. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  joined({ pid, startedAtMs, settingsDigest, isListening }: Hello): void {
    this.#isConnected = true;
    this.pid = pid;
    this.startedAtMs = startedAtMs;
    this.settingsDigest = settingsDigest;
    if (isListening) this.listening();
  }

  left(): void {
    this.#isConnected = false;
  }

  listening(): void {
    this.#isListening = true;
    this.#live.resolve();
  }
}
