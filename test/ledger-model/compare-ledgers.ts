import type { Database as SqliteFile } from "bun:sqlite";
import type { LedgerStore } from "../../src/stores/ledger/ledger-store.ts";
import type { Account } from "../../src/access/account.ts";
import type { KeyRecord } from "../../src/access/api-key.ts";
import { accounts, keys, lineOf, users } from "./accounts-and-keys.ts";
import type { Line, SerialLedger } from "./serial-ledger.ts";

/** Compares every value that decisions depend on between the ledger and the model, and checks how far an account may be in debt. */
export function compareFigures(store: LedgerStore, model: SerialLedger, now: number): void {
  for (const { id } of accounts) {
    const credit = model.credit(id);
    expectSame(store.balanceOf(id).creditNanos, credit, `the credit of ${id}`);
    compareSpending(store, model, "account", id, now);
    const available = credit - store.balanceOf(id).heldNanos;
    if (available < lowest(model, id) - lineOf(id))
      throw new Error(`${id} has ${available}, which is below ${lowest(model, id)} and a credit line of ${lineOf(id)}`);
  }
  for (const { id } of keys) compareSpending(store, model, "key", id, now);
}

/** Compares the counted spend of end users. */
export function compareUsers(store: LedgerStore, model: SerialLedger, now: number): void {
  for (const account of accounts) {
    for (const user of users) {
      const id = `account:${account.id}:${user}`;
      const { heldNanos, dayNanos, monthNanos } = store.spendingOf("user", id, now);
      const { held, day, month } = model.sums("user", id, now);
      expectSame(heldNanos, held, `what is held of ${id}`);
      expectSame(dayNanos, day, `what ${id} has spent today`);
      expectSame(monthNanos, month, `what ${id} has spent this month`);
    }
  }
}

function compareSpending(store: LedgerStore, model: SerialLedger, scope: "account" | "key", id: string, now: number): void {
  const { heldNanos, dayNanos, monthNanos, totalNanos } = store.spendingOf(scope, id, now);
  const { held, day, month, total } = model.sums(scope, id, now);
  expectSame(heldNanos, held, `what is held of ${scope} ${id}`);
  expectSame(dayNanos, day, `what ${scope} ${id} has spent today`);
  expectSame(monthNanos, month, `what ${scope} ${id} has spent this month`);
  expectSame(totalNanos, total, `what ${scope} ${id} has spent`);
}

/**
 * Whether the account's credit, including its credit line, and every spend cap have enough headroom for a hold. Admission finds this out
 * from the ledger.
 */
export function shouldFit(model: SerialLedger, key: KeyRecord, amount: bigint, now: number): boolean {
  const account = accounts.find(({ id }) => id === key.accountId)!;
  const fitsCaps = ({ caps, id }: KeyRecord | Account, scope: "key" | "account"): boolean => {
    const { held, day, month, total } = model.sums(scope, id, now);
    const within = (cap: bigint | null, spent: bigint): boolean => cap === null || spent + held + amount <= cap;
    return within(caps.dayNanos, day) && within(caps.monthNanos, month) && within(caps.totalNanos, total);
  };
  const available = model.credit(account.id) + lineOf(account.id) - model.sums("account", account.id, now).held;
  return amount <= available && fitsCaps(key, "key") && fitsCaps(account, "account");
}

/** Zero if no settlement was above its hold; otherwise minus the highest such excess of one request. Operators may deduct more. */
function lowest({ lines }: SerialLedger, account: string): bigint {
  let highestExcess = 0n;
  let takenAway = 0n;
  for (const line of lines) {
    if (line.account !== account) continue;
    if (line.kind === "adjustment" && line.amount < 0n) takenAway += line.amount;
    if (line.kind !== "settle") continue;
    const excess = line.amount - lines[line.holdId! - 1]!.amount;
    if (excess > highestExcess) highestExcess = excess;
  }
  return takenAway - highestExcess;
}

const COLUMNS = [
  "id",
  "kind",
  "account_id",
  "amount_nanos",
  "at_ms",
  "actor",
  "reference",
  "request_id",
  "key_id",
  "hold_id",
  "uncharged_nanos",
];
/** A row as text: reading one column is much faster than eleven. */
const ROW = COLUMNS.map((column) => `coalesce(${column}, '')`).join(" || ',' || ");
const ROWS_BEHIND = `select ${ROW} from entries where id > ? order by id`;

/** Expects that the database has exactly the committed lines after the first `behind`, and nothing else. */
export function compareRows(file: SqliteFile, { lines, committed }: SerialLedger, behind: number): void {
  const rows = file.query<unknown, [number]>(ROWS_BEHIND).values(behind);
  expectSame(rows.length, committed - behind, "how many entries are in the database");
  rows.forEach(([row], at) => expectSame(row, rowOf(lines[behind + at]!, behind + at + 1), "an entry in the database"));
}

function rowOf({ kind, account, amount, at, by, reference, request, key, holdId, uncharged }: Line, id: number): string {
  return [id, kind, account, amount, at, by, reference, request, key, holdId, uncharged].join();
}

/** Like `expect(real).toBe(should)`, which is too slow for a hundred million calls. */
export function expectSame(real: unknown, should: unknown, what: string): void {
  if (real !== should) throw new Error(`${what}: the ledger has ${String(real)}, and should have ${String(should)}`);
}
