import { parseDollars } from "../../../src/money/money.ts";
import type { Attempt } from "../../crash/call-attempt.ts";
import type { GatewayKey, KillableGateway } from "../../crash/killable-gateway.ts";

/** A kind of client: its account, its limits, and how many clients have such a key. */
interface Group {
  readonly account: string;
  readonly keys: number;
  readonly limits?: object;
  /** The cap of each key, in dollars. It is raised by the same amount now and then. */
  readonly totalCap?: string;
}

const ACCOUNTS: readonly { readonly id: string; readonly credit: string; readonly limits?: object; readonly totalCap?: string }[] = [
  { id: "rich", credit: "1000" },
  { id: "poor", credit: "0.01" },
  { id: "narrow", credit: "1000", limits: { concurrent_requests: 2 } },
  { id: "capped", credit: "1000", totalCap: "0.01" },
];
const GENEROUS = { requests_per_minute: 100_000, tokens_per_minute: 1_000_000_000, concurrent_requests: 50 };
const GROUPS: readonly Group[] = [
  { account: "rich", keys: 8 },
  { account: "rich", keys: 3, limits: GENEROUS },
  { account: "rich", keys: 2, totalCap: "0.004" },
  { account: "poor", keys: 4 },
  { account: "narrow", keys: 4 },
  { account: "capped", keys: 3 },
];
const GRANTED_EACH_TIME = "0.0015";

/** A limit on spending, with its maximum amount. */
export interface SpendCap {
  readonly scope: "account" | "key";
  readonly id: string;
  /** Raised before the platform is called, because it is unknown whether a change takes effect whose reply was lost. */
  maxNanos: bigint;
  /** The amounts that the platform has confirmed, with their times. */
  readonly confirmed: { readonly atMs: number; readonly nanos: bigint }[];
  readonly stepNanos: bigint;
}

/** Accounts and keys with much and little credit, with and without limits and spend caps. */
export class Spenders {
  readonly keys: GatewayKey[] = [];
  readonly caps: SpendCap[] = [];
  /** The references of the grants that the platform has confirmed. */
  readonly granted: string[] = [];
  readonly #accountOf = new Map<string, string>();
  #grants = 0;

  async create(gateway: KillableGateway): Promise<void> {
    for (const { id, credit, limits, totalCap } of ACCOUNTS) {
      await gateway.platform("POST", "/api/accounts", { id, name: id, ...(limits && { limits }), ...capsOf(totalCap) });
      await this.#grant(gateway, id, credit);
      if (totalCap !== undefined) this.#cap("account", id, totalCap);
    }
    for (const { account, keys, limits, totalCap } of GROUPS) {
      for (let at = 0; at < keys; at++) {
        const wanted = { name: account, account, models: ["*"], ...(limits && { limits }), ...capsOf(totalCap) };
        const key = await gateway.platform<GatewayKey>("POST", "/api/keys", wanted);
        this.keys.push(key);
        this.#accountOf.set(key.id, account);
        if (totalCap !== undefined) this.#cap("key", key.id, totalCap);
      }
    }
  }

  get accounts(): readonly string[] {
    return ACCOUNTS.map(({ id }) => id);
  }

  accountOf(keyId: string): string {
    return this.#accountOf.get(keyId)!;
  }

  /** The caps that limit the spend of a key. */
  capsOf(keyId: string): readonly SpendCap[] {
    return this.caps.filter(({ scope, id }) => id === (scope === "key" ? keyId : this.accountOf(keyId)));
  }

  /** Whether a rejection can be correct: 402 and 429 need a reason in the client's own settings, and a fault is a 503. */
  mayRefuse({ keyId, status, code }: Attempt): boolean {
    if (status === 503) return code === "overloaded";
    if (status === 429) return this.accountOf(keyId) === "narrow" && code === "rate_limit_exceeded";
    if (status !== 402) return false;
    const [isPoor, isCapped] = [this.accountOf(keyId) === "poor", this.capsOf(keyId).length > 0];
    return code === "budget_exceeded" ? isCapped : code === "insufficient_credits" ? isPoor : isPoor || isCapped;
  }

  /** Grants credit and raises caps. The owner may be killed meanwhile. */
  async topUp(gateway: KillableGateway): Promise<void> {
    try {
      await this.#grant(gateway, "poor", GRANTED_EACH_TIME);
      for (const cap of this.caps) {
        cap.maxNanos += cap.stepNanos;
        const total = String(Number(cap.maxNanos) / 1e9);
        await gateway.platform("PATCH", `/api/${cap.scope}s/${cap.id}`, { caps: { total } });
        cap.confirmed.push({ atMs: Date.now(), nanos: cap.maxNanos });
      }
    } catch {
      // The owner was killed.
    }
  }

  async #grant(gateway: KillableGateway, account: string, amount: string): Promise<void> {
    const reference = `grant ${++this.#grants}`;
    await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount, reference, reason: "for tests" });
    this.granted.push(reference);
  }

  #cap(scope: SpendCap["scope"], id: string, dollars: string): void {
    const nanos = parseDollars(dollars)!;
    this.caps.push({ scope, id, maxNanos: nanos, confirmed: [{ atMs: 0, nanos }], stepNanos: nanos / 8n });
  }
}

function capsOf(total: string | undefined): object {
  return total === undefined ? {} : { caps: { total } };
}
