import { Reports } from "../../lib/ipc/reports.ts";
import { LAST_USED_SERVICE, type LastUsedReport } from "./last-used-reporter.ts";
import type { KeyUses, ModelUse, ModelUseFilter, SummingLastUsedStore } from "./last-used-store.ts";

/** The owner's last-used times, including the times that gateway processes report. Before a read, all processes report. */
export class SharedLastUsedStore implements SummingLastUsedStore {
  readonly service: Reports;
  readonly #store: SummingLastUsedStore;

  constructor(store: SummingLastUsedStore) {
    this.#store = store;
    this.service = new Reports({ name: LAST_USED_SERVICE, receive: (_, report) => this.#add(report as LastUsedReport) });
  }

  noteKey(keyId: string, atMs: number): void {
    this.#store.noteKey(keyId, atMs);
  }

  noteModel(keyId: string, model: string, atMs: number): void {
    this.#store.noteModel(keyId, model, atMs);
  }

  add(keyId: string, uses: KeyUses): void {
    this.#store.add(keyId, uses);
  }

  async lastUsedTimes(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.service.collect();
    return this.#store.lastUsedTimes(keyIds);
  }

  async keysUsing(model: string, filter: ModelUseFilter, afterKeyId: string | undefined, limit: number): Promise<readonly ModelUse[]> {
    await this.service.collect();
    return this.#store.keysUsing(model, filter, afterKeyId, limit);
  }

  #add(report: LastUsedReport): void {
    for (const [keyId, lastUsedAtMs, models] of report) {
      this.add(keyId, {
        lastUsedAtMs,
        models: new Map(models.map(([model, atMs, requests]) => [model, { lastUsedAtMs: atMs, requests }])),
      });
    }
  }
}
