import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedRequestLogStore, type RequestLogOptions } from "../../src/stores/request-log/embedded-request-log-store.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { endedRequest, type EndedSketch } from "./ended-requests.ts";

/** A request log in a folder of its own, and what it reports. */
export class LogInFolder {
  /** The data folder; the log's own is in it. */
  readonly root = mkdtempSync(join(tmpdir(), "tollgate-requests-"));
  readonly folder = join(this.root, "requests");
  /** Trouble as it begins and, with undefined, ends. */
  readonly reports: (string | undefined)[] = [];
  readonly damaged: string[] = [];
  readonly #options: Partial<RequestLogOptions>;
  store: EmbeddedRequestLogStore;
  nowMs = Date.parse("2027-01-31T12:00:00Z");
  /** By the clock that is never set. */
  monotonicMs = 0;

  constructor(options: Partial<RequestLogOptions> = {}) {
    this.#options = options;
    this.store = this.#open();
  }

  /** Notes requests, and gives their ids. */
  note(...sketches: readonly EndedSketch[]): string[] {
    return sketches.map((sketch) => {
      const ended = endedRequest({ endedAtMs: this.nowMs, ...sketch });
      this.store.note(ended);
      return ended.requestId;
    });
  }

  noteMany(count: number, sketch: EndedSketch = {}): string[] {
    return this.note(...Array.from({ length: count }, () => sketch));
  }

  /** Time goes by, on both clocks. */
  pass(ms: number): void {
    this.nowMs += ms;
    this.monotonicMs += ms;
  }

  /** The ids of all logged requests, in order. */
  async ids(): Promise<string[]> {
    return (await this.store.list({}, undefined, "newer", 100_000)).map(({ request }) => request.requestId);
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = this.#open();
  }

  async remove(): Promise<void> {
    await this.store.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  #open(): EmbeddedRequestLogStore {
    return new EmbeddedRequestLogStore({
      ...STORE_OPTIONS.requestLog,
      folder: this.folder,
      days: 30,
      maxBytes: 1024 ** 3,
      nowMs: () => this.nowMs,
      monotonicMs: () => this.monotonicMs,
      report: (failure) => this.reports.push(failure),
      reportDamaged: (path) => this.damaged.push(path),
      ...this.#options,
    });
  }
}
