import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Account } from "../../platform-client/types.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { untilWritten } from "../support/gateway/until-written.ts";

/** A row of the ledger on disk, read without the gateway, whose own reports are under test. */
export interface LedgerRow {
  readonly id: bigint;
  readonly kind: "grant" | "adjustment" | "hold" | "settle" | "release";
  readonly account_id: string;
  readonly key_id: string | null;
  readonly model: string | null;
  readonly request_id: string | null;
  readonly hold_id: bigint | null;
  readonly amount_nanos: bigint;
  readonly uncharged_nanos: bigint | null;
  readonly reason: string;
  readonly prompt_tokens: bigint | null;
  readonly completion_tokens: bigint | null;
  readonly cached_tokens: bigint | null;
  readonly reasoning_tokens: bigint | null;
  readonly provenance: "measured" | "partial" | "estimated" | null;
}

/** Every entry of a gateway's ledger, in order. */
export function ledgerOf(gateway: RunningGateway): LedgerRow[] {
  const path = join(gateway.folder, "data", "tollgate.db");
  untilWritten(path);
  const file = new Database(path, { readonly: true, safeIntegers: true });
  try {
    return file.query<LedgerRow, []>("select * from entries order by id").all();
  } finally {
    file.close();
  }
}

/** How each request ended, by its ID. Throws if a request has ended twice, has ended without a hold, or has not ended. */
export function endsIn(rows: readonly LedgerRow[]): Map<string, LedgerRow> {
  const open = new Map<bigint, LedgerRow>();
  const ends = new Map<string, LedgerRow>();
  for (const row of rows) {
    if (row.kind === "hold") open.set(row.id, row);
    if (row.kind !== "settle" && row.kind !== "release") continue;
    const hold = open.get(row.hold_id!);
    if (hold?.request_id !== row.request_id) throw new Error(`entry ${row.id} ends no open hold of ${row.request_id}`);
    if (ends.has(row.request_id!)) throw new Error(`${row.request_id} has ended twice`);
    open.delete(hold.id);
    ends.set(row.request_id!, row);
  }
  if (open.size > 0) throw new Error(`${open.size} holds are open, the first of them of ${[...open.values()][0]!.request_id}`);
  return ends;
}

/** The holds that have not ended. */
export function openIn(rows: readonly LedgerRow[]): LedgerRow[] {
  const ended = new Set(rows.map((row) => row.hold_id));
  return rows.filter((row) => row.kind === "hold" && !ended.has(row.id));
}

/** The sum of the entries: granted credit minus charges. */
export function creditIn(rows: readonly LedgerRow[]): bigint {
  let credit = 0n;
  for (const { kind, amount_nanos: amount } of rows) {
    if (kind === "grant" || kind === "adjustment") credit += amount;
    if (kind === "settle") credit -= amount;
  }
  return credit;
}

export interface AccountNow {
  readonly creditNanos: bigint;
  readonly heldNanos: bigint;
  readonly availableNanos: bigint;
}

/** The current view of an account on the platform. */
export async function accountNow(gateway: RunningGateway, id = "default"): Promise<AccountNow> {
  const { credit, held, available } = await gateway.platform<Account>("GET", `/api/accounts/${id}`);
  return { creditNanos: nanosOf(credit), heldNanos: nanosOf(held), availableNanos: nanosOf(available ?? credit) };
}

let adjustments = 0;

/** Adjusts the default account to exactly this credit. Only while no request is in flight. */
export async function setCredit(gateway: RunningGateway, nanos: bigint): Promise<void> {
  const { creditNanos } = await accountNow(gateway);
  if (creditNanos === nanos) return;
  const adjustment = { amount: dollarsOf(nanos - creditNanos), reference: `adjustment ${++adjustments}`, reason: "for a test" };
  await gateway.platform("POST", "/api/accounts/default/adjustments", adjustment);
}

/** Converts an amount such as `-0.000046` to nano-dollars. */
export function nanosOf(dollars: string): bigint {
  const [, sign, whole, fraction] = /^(-?)(\d+)\.(\d{1,9})$/.exec(dollars)!;
  return BigInt(`${sign}${whole}${fraction!.padEnd(9, "0")}`);
}

export function dollarsOf(nanos: bigint): string {
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, "0");
  return `${nanos < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/**
 * The cost of tokens at the test price: one dollar per million input tokens, two per million output tokens, and a tenth of a dollar per
 * million cached tokens.
 */
export function priceOf(promptTokens: number, completionTokens: number, cachedTokens = 0): bigint {
  return BigInt((promptTokens - cachedTokens) * 1000 + cachedTokens * 100 + completionTokens * 2000);
}
