import type { UsageRow } from "../../stores/ledger/ledger-store.ts";
import type { Nanos } from "../../vocabulary/money.ts";
import { Tally } from "../../vocabulary/tally.ts";
import type { Platform } from "../platform.ts";
import type { Bounded } from "./if-spender-were.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a key or an account had spent at a moment of the past: on that day, in that month, and in all. */
export async function spentBefore({ scope, id, accountId }: Bounded, atMs: number, platform: Platform): Promise<Tally> {
  const nowMs = platform.nowMs();
  const { totalNanos } = platform.ledger.spendingOf(scope, id, nowMs);
  const whose = { accountId, ...(scope === "key" && { keyId: id }) };
  const monthMs = beginOfMonth(atMs);
  const since = await platform.ledger.usage({ ...whose, fromMs: atMs, toMs: nowMs + 1 }, "day");
  const inMonth = monthMs < atMs ? await platform.ledger.usage({ ...whose, fromMs: monthMs, toMs: atMs }, "day") : [];
  const tally = new Tally(scope, id);
  tally.spend(totalNanos - sumOf(since) - sumOf(inMonth), monthMs - DAY_MS);
  for (const { name, costNanos } of inMonth) tally.spend(costNanos, Date.parse(name));
  return tally;
}

function beginOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

function sumOf(rows: readonly UsageRow[]): Nanos {
  return rows.reduce((sum, { costNanos }) => sum + costNanos, 0n);
}
