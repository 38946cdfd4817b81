import type { SettleEntry } from "../../money/ledger-entry.ts";
import type { CountedSpending } from "../../stores/ledger/ledger-record-store.ts";
import { inDollars, type Discrepancies } from "./discrepancies.ts";

/** The spend that the ledger claims for one end user or tag value, and the sum of its charges. */
interface BreakdownCheck {
  readonly claim: CountedSpending;
  day: bigint;
  month: bigint;
}

/** The names of requests without an end user or tag, and of end users that were erased. */
const NONE = "none";
const ERASED = "erased";

/**
 * Recomputes the spend by end user and tag in the days and months that the ledger claims. Erasing an end user removes the name from the
 * entries but keeps the claim, so that no spend cap is reset: the claim may then include charges of erased end users.
 */
export class BreakdownSums {
  readonly #checked = new Map<string, BreakdownCheck>();
  /** The charges of erased end users, by account or key and period. */
  readonly #erased = new Map<string, bigint>();
  /** The tags that are counted, by account and key. */
  readonly #tags = new Map<string, Set<string>>();

  constructor(claims: readonly CountedSpending[]) {
    for (const claim of claims) {
      const { scope, id } = claim.purse;
      this.#checked.set(`${scope}:${id}`, { claim, day: 0n, month: 0n });
      if (scope !== "tag") continue;
      const [, owner, name] = /^((?:account|key):[^:]*):([^=]*)=/.exec(id) ?? [];
      if (owner === undefined || name === undefined) continue;
      const names = this.#tags.get(owner);
      if (names) names.add(name);
      else this.#tags.set(owner, new Set([name]));
    }
  }

  add(settle: SettleEntry): void {
    if (this.#checked.size === 0) return;
    const { user = NONE, tags } = settle.attribution ?? {};
    for (const owner of [`account:${settle.accountId}`, `key:${settle.keyId}`]) {
      this.#count(`user:${owner}:${user}`, settle);
      if (user === ERASED) this.#countErased(owner, settle);
      for (const name of this.#tags.get(owner) ?? []) {
        // Checked with `hasOwn`, because a tag may be called `constructor`.
        const value = tags && Object.hasOwn(tags, name) ? tags[name] : NONE;
        this.#count(`tag:${owner}:${name}=${value}`, settle);
      }
    }
  }

  compare(discrepancies: Discrepancies): void {
    for (const [name, { claim, day, month }] of this.#checked) {
      const [scope, owner, ownerId] = name.split(":", 3) as [string, string, string];
      const place = owner === "account" ? { accountId: ownerId } : { keyId: ownerId };
      const check = (period: "day" | "month", sum: bigint, claimed: bigint): void => {
        const erased = scope === "user" ? (this.#erased.get(`${owner}:${ownerId} ${period} ${claim[period]}`) ?? 0n) : 0n;
        if (claimed >= sum && claimed <= sum + erased) return;
        discrepancies.add(
          place,
          `spent by ${name} in its last ${period} equals the sum of the entries`,
          inDollars(sum),
          inDollars(claimed),
        );
      };
      check("day", day, claim.dayNanos);
      check("month", month, claim.monthNanos);
    }
  }

  #count(name: string, { atMs, amountNanos }: SettleEntry): void {
    const checked = this.#checked.get(name);
    if (!checked) return;
    if (dayOf(atMs) === checked.claim.day) checked.day += amountNanos;
    if (monthOf(atMs) === checked.claim.month) checked.month += amountNanos;
  }

  #countErased(owner: string, { atMs, amountNanos }: SettleEntry): void {
    for (const name of [`${owner} day ${dayOf(atMs)}`, `${owner} month ${monthOf(atMs)}`]) {
      this.#erased.set(name, (this.#erased.get(name) ?? 0n) + amountNanos);
    }
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000);
}

function monthOf(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}
