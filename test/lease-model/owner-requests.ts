import type { HoldEntry } from "../../src/money/ledger-entry.ts";
import { hold as newHold, settlement } from "../support/money/ledger-samples.ts";
import type { ModelAuthority } from "./authority.ts";
import { pursesOf, type ModelKey } from "./keys-and-requests.ts";

/** Requests that the owner process serves itself, from the free amount. */
export class OwnerRequests {
  readonly #authority: ModelAuthority;
  #holds: HoldEntry[] = [];

  constructor(authority: ModelAuthority) {
    this.#authority = authority;
  }

  /** Whether the free credit covers the amount. */
  hold(key: ModelKey, amountNanos: bigint): boolean {
    const { core, books, nowMs, entries } = this.#authority;
    if (pursesOf(key).some((purse) => core.availableOf(purse)! < amountNanos)) return false;
    const sample = newHold(`own${entries.length}`, amountNanos, {
      accountId: key.accountId,
      keyId: key.id,
      attribution: key.attribution,
      atMs: nowMs,
    });
    const hold: HoldEntry = { ...sample, kind: "hold", id: books.nextId };
    this.#authority.addOwn(hold);
    this.#holds.push(hold);
    return true;
  }

  end(pick: number, percent: bigint): void {
    const hold = this.#holds.splice(pick % (this.#holds.length || 1), 1)[0];
    if (!hold) return;
    const amountNanos = (hold.amountNanos * percent) / 100n;
    const { costNanos: _, capNanos: __, ...rest } = settlement(amountNanos, { atMs: this.#authority.nowMs });
    const id = this.#authority.books.nextId;
    this.#authority.addOwn({ ...hold, ...rest, kind: "settle", id, holdId: hold.id, amountNanos, unchargedNanos: 0n });
  }

  endAll(): void {
    while (this.#holds.length > 0) this.end(0, 100n);
  }

  /** The owner process has ended, and its requests have ended with it. */
  forget(): void {
    this.#holds = [];
  }
}
