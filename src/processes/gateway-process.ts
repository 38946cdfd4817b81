import type { Hello } from "./messages.ts";

/** A program that was started. */
export interface StartedProgram {
  readonly pid: number;
  /** Resolves when it has ended. */
  readonly exited: Promise<unknown>;
}

/** `starting`: it does not listen yet. `live`: it is connected and listens. `disconnected`: it has lost its connection and may come back, or has ended and its journal is not applied yet. */
export type ProcessState = "starting" | "live" | "disconnected" | "draining";

/** A gateway process, as its supervisor sees it. */
export class GatewayProcess {
  readonly id: string;
  readonly pid: number;
  startedAtMs: number;
  /** What it runs with: a survivor's settings may differ from those of new processes. */
  settingsDigest = "";
  /** Resolves when it has ended. A survivor of an earlier owner is not a child of this process: its lock tells. */
  readonly exited: Promise<unknown>;
  readonly #live = Promise.withResolvers<void>();
  #isConnected = false;
  #isListening = false;
  isDraining = false;
  hasEnded = false;

  constructor(id: string, { pid, exited }: StartedProgram, nowMs: number) {
    this.id = id;
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
    // It is listed for as long as its journal is not in the ledger.
    if (this.hasEnded) return "disconnected";
    if (this.isDraining) return "draining";
    if (!this.#isListening) return "starting";
    return this.#isConnected ? "live" : "disconnected";
  }

  /** Whether it has served requests, so that it is missing when it has ended. */
  get hasServed(): boolean {
    return this.#isListening;
  }

  /** Resolves when it serves requests for the first time; rejects where it ends before. */
  get live(): Promise<void> {
    return this.#live.promise;
  }

  joined({ startedAtMs, settingsDigest, isListening }: Hello): void {
    this.#isConnected = true;
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
