import type { LedgerStore } from "../../stores/ledger/ledger-store.ts";
import type { Account } from "../../vocabulary/account.ts";
import type { KeyRecord } from "../../vocabulary/api-key.ts";
import type { Caps } from "../../vocabulary/limits.ts";
import type { Nanos } from "../../vocabulary/money.ts";

/** Something that a hold must fit into. */
export interface Room {
  /** Whose it is, as a sentence has it: "the account acme", "the daily budget of this key". */
  readonly name: string;
  readonly kind: "credit" | "budget" | "max_cost";
  /** What a hold may take now. */
  readonly leftNanos: Nanos;
  /** What it could take if nothing else were under way. */
  readonly leftIfIdleNanos: Nanos;
  /** When a budget begins anew. */
  readonly resetsAtMs: number | undefined;
}

/** Everything that a request of this key must fit into: the account's credit, and every budget there is. */
export function roomsFor(caller: KeyRecord, account: Account, ledger: LedgerStore, nowMs: number): Room[] {
  const { creditNanos, heldNanos } = ledger.balanceOf(account.id);
  const rooms: Room[] = [
    {
      name: `the account ${account.id}`,
      kind: "credit",
      leftNanos: creditNanos - heldNanos,
      leftIfIdleNanos: creditNanos,
      resetsAtMs: undefined,
    },
  ];
  addBudgets(rooms, "key", caller.id, caller.caps, ledger, nowMs);
  addBudgets(rooms, "account", account.id, account.caps, ledger, nowMs);
  return rooms;
}

function addBudgets(rooms: Room[], scope: "key" | "account", id: string, caps: Caps, ledger: LedgerStore, nowMs: number): void {
  if (caps.dayNanos === null && caps.monthNanos === null && caps.totalNanos === null) return;
  const { heldNanos, dayNanos, monthNanos, totalNanos } = ledger.spendingOf(scope, id, nowMs);
  const add = (adjective: string, cap: Nanos | null, spent: Nanos, resetsAtMs: number | undefined): void => {
    if (cap === null) return;
    const left = cap - spent;
    const name = `the ${adjective} budget of this ${scope}`;
    rooms.push({ name, kind: "budget", leftNanos: left - heldNanos, leftIfIdleNanos: left, resetsAtMs });
  };
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  add("daily", caps.dayNanos, dayNanos, Date.UTC(year, month, day + 1));
  add("monthly", caps.monthNanos, monthNanos, Date.UTC(year, month + 1, 1));
  add("total", caps.totalNanos, totalNanos, undefined);
}
