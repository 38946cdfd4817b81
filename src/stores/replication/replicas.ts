import type { Account } from "../../access/account.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import type { ProcessService } from "../../lib/ipc/ipc-service.ts";
import type { AccountReader } from "../accounts/account-store.ts";
import { fromRow, type AccountTable } from "../accounts/account-table.ts";
import type { CatalogReader } from "../catalog/catalog-store.ts";
import type { KeyReader } from "../keys/key-store.ts";
import { rowReader, type KeyTable } from "../keys/key-table.ts";
import { FEED, type FeedNotices } from "./feed-messages.ts";
import { ReplicaCatalog } from "./replica-catalog.ts";

type Handlers = { readonly [Name in keyof FeedNotices]: (body: FeedNotices[Name]) => void };

/**
 * Replicas of the owner's keys, accounts and catalog in a gateway process: full copies in memory, to which the owner sends its changes.
 * While the owner is away, they stay in force.
 */
export class Replicas implements ProcessService {
  readonly name = FEED;
  /** Resolves when the first snapshot is complete. No request may be served before. */
  readonly ready: Promise<void>;
  readonly #keys = new ReplicaRecords<KeyRecord, KeyTable>(rowReader);
  readonly #accounts = new ReplicaRecords<Account, AccountTable>(() => fromRow);
  readonly #catalog = new ReplicaCatalog();
  readonly #resolveReady: () => void;
  #isCurrent = false;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ready = promise;
    this.#resolveReady = resolve;
  }

  get keys(): KeyReader {
    return this.#keys;
  }

  get accounts(): AccountReader {
    return this.#accounts;
  }

  get catalog(): CatalogReader {
    return this.#catalog;
  }

  /** Whether the replicas have all changes: false while the owner is away, and until its next snapshot is complete. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  /** Notices are handled at once and in order: the reply proves that all notices before this call are in force. */
  readonly calls = { handled: (): null => null };

  readonly notices = {
    begin: () => {
      this.#isCurrent = false;
      this.#keys.begin();
      this.#accounts.begin();
    },
    catalog: (encoded) => this.#catalog.put(encoded),
    accounts: (rows) => this.#accounts.put(rows),
    keys: (rows) => this.#keys.put(rows),
    removed: ({ accounts, keys }) => {
      this.#keys.remove(keys);
      this.#accounts.remove(accounts);
    },
    complete: () => {
      this.#keys.complete();
      this.#accounts.complete();
      this.#isCurrent = true;
      this.#resolveReady();
    },
  } satisfies Handlers as ProcessService["notices"] & object;

  disconnected(): void {
    this.#isCurrent = false;
  }
}

/**
 * The records of a store of the owner process, in a gateway process. An equal record stays the same object, even if it is sent again after
 * a reconnect: caches compare records by identity.
 */
class ReplicaRecords<T extends { readonly id: string }, Row> {
  readonly #makeReader: () => (row: Row) => T;
  readonly #records = new Map<string, T>();
  /** The ids received so far in the current snapshot. */
  #received: Set<string> | undefined;

  constructor(makeReader: () => (row: Row) => T) {
    this.#makeReader = makeReader;
  }

  find(id: string): T | undefined {
    return this.#records.get(id);
  }

  ids(): string[] {
    return [...this.#records.keys()];
  }

  /** Starts a snapshot. Records that it has not reached yet stay in force. */
  begin(): void {
    this.#received = new Set();
  }

  /** Puts changed records, or a part of a snapshot, in force. */
  put(rows: readonly Row[]): void {
    const read = this.#makeReader();
    for (const row of rows) {
      const record = read(row);
      this.#received?.add(record.id);
      const before = this.#records.get(record.id);
      if (!before || !Bun.deepEquals(before, record, true)) this.#records.set(record.id, record);
    }
  }

  /** Removes records that were deleted. */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#records.delete(id);
  }

  /** Ends the snapshot. Records that it lacks are removed: for example, the owner's database was restored from a backup. */
  complete(): void {
    for (const id of this.#records.keys()) if (!this.#received?.has(id)) this.#records.delete(id);
    this.#received = undefined;
  }
}
