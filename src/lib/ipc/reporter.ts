import type { IpcPeer, ProcessService } from "./ipc-service.ts";

const REPORT_EVERY_MS = 1000;

interface ReporterOptions {
  readonly name: string;
  readonly owner: IpcPeer;
  /** What has happened since the last report; undefined where nothing has. `isFirst`: this owner has had no report of this process. */
  readonly take: (isFirst: boolean) => unknown;
}

/**
 * Reports to the owner process once a second, and at once when the owner asks. For information only: nothing is reported while the owner is
 * away, and a report that is on its way when the owner is killed is lost.
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

  /** Resolves when everything until now is reported, where the owner is there. */
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
    // A report that fails must not end a process that serves requests. The one that an owner asks for fails there.
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
