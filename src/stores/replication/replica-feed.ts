import { setImmediate as nextTurn } from "node:timers/promises";
import type { Account } from "../../access/account.ts";
import type { ConnectedProcess, OwnerService } from "../../lib/ipc/ipc-service.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import { toRow as toAccountRow } from "../accounts/account-table.ts";
import type { CallableCatalog, CatalogStore } from "../catalog/catalog-store.ts";
import type { KeyStore } from "../keys/key-store.ts";
import { toRow as toKeyRow } from "../keys/key-table.ts";
import { FEED, HANDLED, type FeedNotices } from "./feed-messages.ts";
import { callableOf, encodeCatalog } from "./replica-catalog.ts";

/**
 * Records of a snapshot that are sent in one turn of the event loop: 500 keys take 1 to 3 ms. Sending 100,000 keys at once would take 700
 * ms.
 */
const RECORDS_AT_ONCE = 500;
/** How long a change waits for a process that does not answer. Such a process soon loses its right to admit requests. */
const PROPAGATION_MS = 250;

/** The stores that gateway processes have replicas of. */
interface ReplicatedStores {
  readonly keys: KeyStore;
  readonly accounts: AccountStore;
  readonly catalog: CatalogStore;
}

interface Follower {
  readonly process: ConnectedProcess;
  /** The number of the last change that the process has certainly handled. */
  handled: number;
}

/**
 * Sends keys, accounts and the catalog to the gateway processes: everything to each process that connects, and every change when it comes
 * into force.
 */
export class ReplicaFeed implements OwnerService {
  readonly name = FEED;
  readonly #stores: ReplicatedStores;
  readonly #recordsAtOnce: number;
  readonly #followers = new Map<string, Follower>();
  /** The catalog that all followers have. */
  #published: CallableCatalog;
  #lastChange = 0;

  constructor(stores: ReplicatedStores, recordsAtOnce = RECORDS_AT_ONCE) {
    this.#stores = stores;
    this.#recordsAtOnce = recordsAtOnce;
    const publishAccount = (account: Account): void => this.#publish("accounts", () => [toAccountRow(account)]);
    stores.accounts.onChange(publishAccount);
    stores.keys.onChange((key) => {
      // The snapshot of a process may not have reached the account yet, and a key is useless without its account.
      const account = stores.accounts.find(key.accountId);
      if (account) publishAccount(account);
      this.#publish("keys", () => [toKeyRow(key)]);
    });
    stores.accounts.onRemove(({ id }) => this.#publish("removed", () => ({ accounts: [id], keys: [] })));
    stores.keys.onRemove(({ id }) => this.#publish("removed", () => ({ accounts: [], keys: [id] })));
    this.#published = callableOf(stores.catalog);
    stores.catalog.onChange(() => {
      const before = this.#published;
      this.#published = callableOf(stores.catalog);
      this.#publish("catalog", () => encodeCatalog(this.#published, before));
    });
  }

  connected(process: ConnectedProcess): void {
    this.#followers.set(process.id, { process, handled: 0 });
    void this.#sendSnapshot(process);
  }

  disconnected(processId: string): void {
    this.#followers.delete(processId);
  }

  /**
   * Resolves when every connected process has handled all changes so far, so that they apply to the next request of a model client. A
   * process that does not answer is waited for only briefly.
   */
  async propagated(): Promise<void> {
    const last = this.#lastChange;
    const behind = [...this.#followers.values()].filter(({ handled }) => handled < last);
    await Promise.all(behind.map((follower) => confirm(follower, last)));
  }

  #publish<Name extends keyof FeedNotices>(name: Name, encode: () => FeedNotices[Name]): void {
    this.#lastChange += 1;
    if (this.#followers.size === 0) return;
    const body = encode();
    for (const { process } of this.#followers.values()) send(process, name, body);
  }

  /**
   * Sends the snapshot in parts, so that requests of operators and other processes are served in between. Records that are added meanwhile
   * are sent as changes.
   */
  async #sendSnapshot(process: ConnectedProcess): Promise<void> {
    const { accounts, keys } = this.#stores;
    send(process, "begin", null);
    send(process, "catalog", encodeCatalog(this.#published));
    await this.#sendParts(process, accounts.ids(), (ids) => {
      send(process, "accounts", findExisting(ids, accounts).map(toAccountRow));
    });
    await this.#sendParts(process, keys.ids(), (ids) => {
      send(process, "keys", findExisting(ids, keys).map(toKeyRow));
    });
    if (this.#follows(process)) send(process, "complete", null);
  }

  async #sendParts(process: ConnectedProcess, ids: readonly string[], sendPart: (ids: readonly string[]) => void): Promise<void> {
    for (let from = 0; from < ids.length && this.#follows(process); from += this.#recordsAtOnce) {
      sendPart(ids.slice(from, from + this.#recordsAtOnce));
      // Back-pressure: waits until the process has received the part, because unsent data would fill the memory.
      await process.call(HANDLED, null).catch(() => nextTurn());
    }
  }

  /** Whether this connection is still the current one of its process. */
  #follows(process: ConnectedProcess): boolean {
    return this.#followers.get(process.id)?.process === process;
  }
}

function send<Name extends keyof FeedNotices>(process: ConnectedProcess, name: Name, body: FeedNotices[Name]): void {
  process.notify(`${FEED}.${name}`, body);
}

async function confirm(follower: Follower, change: number): Promise<void> {
  try {
    await follower.process.call(HANDLED, null, PROPAGATION_MS);
    follower.handled = Math.max(follower.handled, change);
  } catch {
    // The process has ended, or does not answer.
  }
}

/** Filters out records that were deleted since the snapshot began. */
function findExisting<T>(ids: readonly string[], store: { find(id: string): T | undefined }): T[] {
  return ids.flatMap((id) => store.find(id) ?? []);
}
