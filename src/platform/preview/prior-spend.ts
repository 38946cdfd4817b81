import { Tally, type Spender } from "../../money/tally.ts";
import type { Platform } from "../platform.ts";

/** The subject of a change: a key of an account, or the account with all of its keys. */
export interface Bounded {
  readonly scope: Spender;
  readonly id: string;
  readonly accountId: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The spend of a key or an account before a time in the past: on that day, in that month, and in total. */
export async function priorSpend({ scope, id, accountId }: Bounded, atMs: number, platform: Platform): Promise<Tally> {
  const nowMs = platform.nowMs();
  const { totalNanos } = platform.ledgerRecords.spendingOf(scope, id, nowMs);
  const whose = { accountId, ...(scope === "key" && { keyId: id }) };
  const monthMs = beginOfMonth(atMs);
  const bounds = [...daysBetween(monthMs, atMs), atMs, nowMs + 1];
  const { rows, total } = await platform.ledgerRecords.usage({ ...whose, bounds, by: [] });
  const tally = new Tally(scope, id);
  tally.spend(totalNanos - total.costNanos, monthMs - DAY_MS);
  for (const { fromMs, costNanos } of rows) if (fromMs < atMs) tally.spend(costNanos, fromMs);
  return tally;
}

/** The starts of the UTC days before a time. */
function daysBetween(fromMs: number, toMs: number): number[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / DAY_MS) }, (_, day) => fromMs + day * DAY_MS);
}

function beginOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
