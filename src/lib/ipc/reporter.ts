import type { IpcPeer, ProcessService } from "./ipc-service.ts";

const REPORT_EVERY_MS = 1000;

interface ReporterOptions {
  readonly name: string;
  readonly owner: IpcPeer;
  /**
   * Everything that has happened since the last report; undefined if nothing has happened. `isFirst`: this owner has not received a report
   * from this process before.
   */
  readonly take: (isFirst: boolean) => unknown;
}

/**
 * Reports to the owner process once a second, and immediately when the owner asks. For information only: nothing is reported while the
 * owner is not connected, and a report in transit is lost if the owner is killed.
 */
export class Reporter implements ProcessService {
  readonly name: string;
  readonly calls = { collect: () => this.report() };
  readonly #options: ReporterOptions;
  readonly #timer: Timer;
  #isConnected = false;
  #isFirst = true;
  #last: Promise<void> = Promise.resolve();
  #isBusy = false;

  constructor(options: ReporterOptions) {
    this.name = options.name;
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), REPORT_EVERY_MS).unref();
  }

  connected(): void {
    this.#isConnected = true;
    this.#isFirst = true;
    this.#tick();
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  /** Resolves when everything until now has been reported, if the owner is connected. */
  report(): Promise<void> {
    const sent = this.#last.then(() => this.#send());
    this.#last = sent.catch(() => undefined);
    return sent;
  }

  /** Reports for the last time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
  }

  #tick(): void {
    // A failed report must not end a process that serves requests. If the owner asked for the report, the failure is returned to the owner.
    if (this.#isConnected && !this.#isBusy) this.report().catch(() => undefined);
  }

  async #send(): Promise<void> {
    if (!this.#isConnected) return;
    this.#isBusy = true;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    try {
      const report = await this.#options.take(isFirst);
      if (report !== undefined) this.#options.owner.notify(`${this.name}.report`, report);
    } finally {
      this.#isBusy = false;
    }
  }
}
