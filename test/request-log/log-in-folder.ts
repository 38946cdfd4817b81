import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedRequestLogStore, type RequestLogOptions } from "../../src/stores/request-log/embedded-request-log-store.ts";
import { STORE_OPTIONS } from "../support/gateway/store-options.ts";
import { LogUnderTest } from "./log-under-test.ts";

/** A request log in a new folder, and its reports. */
export class LogInFolder extends LogUnderTest<EmbeddedRequestLogStore> {
  /** The data folder, which contains the folder of the log. */
  readonly root = mkdtempSync(join(tmpdir(), "tollgate-requests-"));
  readonly folder = join(this.root, "requests");
  readonly damaged: string[] = [];
  readonly #options: Partial<RequestLogOptions>;
  store: EmbeddedRequestLogStore;

  constructor(options: Partial<RequestLogOptions> = {}) {
    super();
    this.#options = options;
    this.store = this.open();
  }

  async remove(): Promise<void> {
    await this.store.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  protected open(): EmbeddedRequestLogStore {
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
