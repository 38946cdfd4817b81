import type { CreditEntry, Entry, EntryOfRequest, HoldEntry, ReleaseEntry, SettleEntry } from "../../money/ledger-entry.ts";
import type { Derivation, Price } from "../../money/price.ts";
import type { AccountHistory } from "./account-history.ts";
import type { BreakdownSums } from "./breakdown-sums.ts";
import { inDollars, type Discrepancies } from "./discrepancies.ts";
import type { NamedPrices } from "./named-prices.ts";
import { faultInUsage, isPercentOf, recomputeCost, versionOf } from "./recompute-cost.ts";
import { SeenRequests } from "./seen-requests.ts";

/** The sums of an account's entries. */
interface AccountSums {
  credit: bigint;
  held: bigint;
  spent: bigint;
}

/** The value of `upstream` for a response that no provider charges for. */
const RESPONSE_CACHE = "cache";

/** A credit line without a limit, in the audit log. */
const UNLIMITED = "unlimited";

const MUST_AGREE = ["requestId", "accountId", "keyId", "model", "priceVersion"] as const;

/** Fields that must agree for the response of a fallback. Its model must be named by the hold, and the price must be that model's price. */
const MUST_AGREE_OF_FALLBACK = ["requestId", "accountId", "keyId"] as const;

/** Replays entries in order from the first, and checks each against the ones before it. */
export class Replay {
  readonly accounts = new Map<string, AccountSums>();
  readonly spentByKey = new Map<string, bigint>();
  readonly breakdowns: BreakdownSums;
  /** Open holds, by ID. */
  readonly open = new Map<number, HoldEntry>();
  entryCount = 0;
  requestCount = 0;
  lastId = 0;
  /** The prices of the entries to replay next. */
  readonly prices: NamedPrices;
  readonly #discrepancies: Discrepancies;
  readonly #history: AccountHistory | undefined;
  readonly #checkedPrices = new Map<string, Price | undefined>();
  readonly #requests = new SeenRequests();
  readonly #references = new Set<string>();

  constructor(discrepancies: Discrepancies, prices: NamedPrices, breakdowns: BreakdownSums, history?: AccountHistory) {
    this.#discrepancies = discrepancies;
    this.#history = history;
    this.breakdowns = breakdowns;
    this.prices = prices;
  }

  add(entry: Entry): void {
    if (entry.id !== this.lastId + 1) this.#report(entry, "ids increase by one", `entry ${this.lastId + 1}`, `entry ${entry.id}`);
    this.lastId = entry.id;
    this.entryCount++;
    switch (entry.kind) {
      case "grant":
      case "adjustment":
        return this.#addCredit(entry);
      case "hold":
        return this.#addHold(entry);
      case "settle":
        return this.#addSettle(entry);
      case "release":
        return this.#addRelease(entry);
    }
  }

  sumsOf(accountId: string): AccountSums {
    let sums = this.accounts.get(accountId);
    if (!sums) this.accounts.set(accountId, (sums = { credit: 0n, held: 0n, spent: 0n }));
    return sums;
  }

  #addCredit(entry: CreditEntry): void {
    const { kind, accountId, amountNanos, reference } = entry;
    if (kind === "grant" && amountNanos <= 0n) this.#report(entry, "a grant adds credit", "more than $0.00", inDollars(amountNanos));
    const name = JSON.stringify([accountId, reference]);
    if (this.#references.has(name)) this.#report(entry, "a reference is used once per account", "a new one", JSON.stringify(reference));
    this.#references.add(name);
    this.sumsOf(accountId).credit += amountNanos;
  }

  #addHold(hold: HoldEntry): void {
    const { id, accountId, requestId, amountNanos } = hold;
    if (this.#requests.has(requestId)) this.#report(hold, "a request has one hold", "none before this one", "another hold");
    else this.requestCount++;
    this.#requests.add(requestId);
    if (amountNanos < 0n) this.#report(hold, "a hold reserves credit", "$0.00 or more", inDollars(amountNanos));
    this.#checkList(hold, this.#findPrice(hold)?.priceList);
    this.open.set(id, hold);
    this.sumsOf(accountId).held += amountNanos;
  }

  /** A price without a list cannot be checked: the account's list may leave the model at its base price. */
  #checkList(entry: HoldEntry | SettleEntry, priceList: string | undefined, atMs = entry.atMs): void {
    if (priceList === undefined || this.#history?.mayHaveHad(entry.accountId, priceList, atMs) !== false) return;
    this.#report(entry, "a price is of a list that the account had then", "such a list, or none", priceList);
  }

  #addRelease(release: ReleaseEntry): void {
    this.#findPrice(release);
    this.#endHold(release, this.#findHold(release));
  }

  #addSettle(settle: SettleEntry): void {
    const { accountId, keyId, amountNanos } = settle;
    const hold = this.#findHold(settle);
    this.#checkCharge(settle, hold);
    this.#endHold(settle, hold);
    const sums = this.sumsOf(accountId);
    sums.credit -= amountNanos;
    sums.spent += amountNanos;
    this.spentByKey.set(keyId, (this.spentByKey.get(keyId) ?? 0n) + amountNanos);
    this.breakdowns.add(settle);
  }

  /** The open hold that an entry ends. Also checks that both belong to the same request. */
  #findHold(end: SettleEntry | ReleaseEntry): HoldEntry | undefined {
    const hold = this.open.get(end.holdId);
    if (!hold) {
      const found = this.#requests.has(end.requestId) ? "a request whose hold has ended, or is another" : "no hold of this request";
      this.#report(end, "an entry that ends a hold has one", `hold ${end.holdId}, open`, found);
      return undefined;
    }
    const isFallback = end.kind === "settle" && fallbacksIn(hold.reason).includes(end.model);
    if (isFallback) this.#checkList(end, this.#findPrice(end)?.priceList, hold.atMs);
    for (const field of isFallback ? MUST_AGREE_OF_FALLBACK : MUST_AGREE) {
      if (end[field] !== hold[field]) {
        this.#report(end, `an end has the ${field} of its hold, entry ${hold.id}`, hold[field], end[field]);
      }
    }
    return hold;
  }

  #endHold(end: SettleEntry | ReleaseEntry, hold: HoldEntry | undefined): void {
    if (!hold) return;
    this.open.delete(end.holdId);
    this.sumsOf(hold.accountId).held -= hold.amountNanos;
  }

  #checkCharge(settle: SettleEntry, hold: HoldEntry | undefined): void {
    const { usage, amountNanos, unchargedNanos } = settle;
    if (amountNanos < 0n || unchargedNanos < 0n) {
      const found = `${inDollars(amountNanos)} charged, ${inDollars(unchargedNanos)} uncharged`;
      this.#report(settle, "a charge takes credit", "$0.00 or more", found);
    }
    const price = this.#findPrice(settle);
    const costPrice = settle.costVersion === undefined ? undefined : this.#findPrice(settle, settle.costVersion);
    const fault = faultInUsage(usage);
    if (fault !== undefined) this.#report(settle, "token counts are whole, and parts are within their whole", "such counts", fault);
    if (!price || fault !== undefined) return;

    this.#checkUpstreamCost(settle, costPrice);
    if (isLateDifference(settle)) return;
    const cost = recomputeCost(usage, price);
    if (amountNanos + unchargedNanos !== cost) {
      this.#report(settle, "a settlement is tokens by their price", inDollars(cost), inDollars(amountNanos + unchargedNanos));
    } else if (hold) {
      this.#checkExcess(settle, hold, cost);
    }
  }

  /** The cost is unknown if no cost price was known, and in entries from before it was recorded. */
  #checkUpstreamCost(settle: SettleEntry, costPrice: Price | undefined): void {
    const { upstream, usage, upstreamCostNanos } = settle;
    if (upstreamCostNanos === undefined) return;
    const expected = costPrice ? recomputeCost(usage, costPrice) : upstream === RESPONSE_CACHE ? 0n : undefined;
    if (upstreamCostNanos === expected) return;
    const said = expected === undefined ? "none, without a cost price" : inDollars(expected);
    this.#report(settle, "an upstream cost is tokens by the cost price", said, inDollars(upstreamCostNanos));
  }

  /**
   * A cost above the hold is charged, with three exceptions: the account is already in debt beyond its credit line; the cost is above the
   * client's own limit; or there was a crash, so that the whole response is unknown.
   */
  #checkExcess(settle: SettleEntry, hold: HoldEntry, cost: bigint): void {
    const { credit, held } = this.sumsOf(settle.accountId);
    const lines = this.#history?.creditLinesAt(settle.accountId, settle.atMs) ?? [null];
    const charges = lines.map((line) => {
      const isInDebt = line !== UNLIMITED && credit + nanosOf(line ?? "0.0") < held;
      const most = isInDebt || settle.actor === "recovery" ? hold.amountNanos : (ownLimitIn(hold.reason) ?? cost);
      return { isInDebt, expected: cost > hold.amountNanos && cost > most ? most : cost };
    });
    if (charges.some(({ expected }) => settle.amountNanos === expected)) return;
    const { isInDebt, expected } = charges[0]!;
    const rule = isInDebt ? "an account in debt pays no more than was held" : "an account pays what a request cost";
    this.#report(settle, rule, inDollars(expected), inDollars(settle.amountNanos));
  }

  #findPrice(entry: EntryOfRequest, named = entry.priceVersion): Price | undefined {
    if (!this.#checkedPrices.has(named)) this.#checkedPrices.set(named, this.#checkPrice(entry, named));
    const price = this.#checkedPrices.get(named);
    if (!price) this.#report(entry, "a version of a price is known", `price version ${named}`, "nothing of that name");
    return price;
  }

  #checkPrice(entry: EntryOfRequest, named: string): Price | undefined {
    const price = this.prices.find(named);
    if (!price) return undefined;
    const version = versionOf(price);
    if (version !== price.version) this.#report(entry, "a price says what its version is named for", price.version, `rates of ${version}`);
    if (price.derivedFrom) this.#checkDerivation(entry, price, price.derivedFrom);
    return price;
  }

  /**
   * A price list's percentage of the base price, and the percentage for cached responses, is recomputed from the price that it is a
   * percentage of.
   */
  #checkDerivation(entry: EntryOfRequest, price: Price, { version, percent }: Derivation): void {
    const base = this.#checkPrice(entry, version);
    if (base && isPercentOf(price, base, percent)) return;
    const found = base ? `other rates in version ${price.version}` : "nothing of that name";
    this.#report(entry, "a price is the percentage of another that it is said to be", `${percent} % of price version ${version}`, found);
  }

  #report(entry: Entry, what: string, expected: string, found: string): void {
    const requestId = "requestId" in entry ? { requestId: entry.requestId } : {};
    this.#discrepancies.add({ entry: entry.id, ...requestId, accountId: entry.accountId }, what, expected, found);
  }
}

/** The models that may serve a request instead of its own model, parsed from the reason of its hold. */
function fallbacksIn(reason: string): readonly string[] {
  const [, names] = / that may fall back to (\S+(?:, \S+)*)(?: with x-max-cost [\d.]+)?$/.exec(reason) ?? [];
  return names?.split(", ") ?? [];
}

/** The client's own limit for a request, parsed from the reason of its hold. */
function ownLimitIn(reason: string): bigint | undefined {
  const amount = /x-max-cost (\d+\.\d{1,9})$/.exec(reason)?.[1];
  return amount === undefined ? undefined : nanosOf(amount);
}

/** An amount of dollars with a fraction, in nano-dollars. */
function nanosOf(amount: string): bigint {
  const [whole, fraction] = amount.split(".") as [string, string];
  return BigInt(whole + fraction.padEnd(9, "0"));
}

/**
 * Whether it is the entry of a late difference: writing off the process charged the tokens known until then, but the process's own charge
 * was higher. The entry has this difference, without tokens.
 */
function isLateDifference({ requestId, usage }: SettleEntry): boolean {
  return requestId.startsWith("late:") && usage.promptTokens + usage.completionTokens === 0;
}
