import { NO_NAME, type Dimension } from "../../money/attribution.ts";
import { purseOf } from "../../money/breakdown.ts";
import type { PurseScope } from "../../money/purse.ts";
import { Tally, type Spender } from "../../money/tally.ts";
import type { Platform } from "../platform.ts";

/** The subject of a change: a key of an account, or the account with all of its keys. */
export interface PreviewSubject {
  readonly scope: Spender;
  readonly id: string;
  readonly accountId: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The spend of a key or an account before a time in the past: on that day, in that month, and in total. */
export async function priorSpend({ scope, id, accountId }: PreviewSubject, atMs: number, platform: Platform): Promise<Tally> {
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

/**
 * The spend of a key's or an account's end users or tag values before a time in the past, on that day and in that month. Names beyond the
 * name limit of reports are omitted.
 */
export async function priorSpendBy(
  { scope: owner, id: ownerId, accountId }: PreviewSubject,
  by: Dimension,
  atMs: number,
  platform: Platform,
): Promise<readonly Tally<PurseScope>[]> {
  const [monthMs, dayMs] = [beginOfMonth(atMs), Math.floor(atMs / DAY_MS) * DAY_MS];
  const bounds = [...new Set([monthMs, dayMs, atMs])];
  if (bounds.length < 2) return [];
  const whose = { accountId, ...(owner === "key" && { keyId: ownerId }) };
  const { rows } = await platform.ledgerRecords.usage({ ...whose, bounds, by: ["attributed"], attributed: { dimension: by } });
  const tallies = new Map<string, Tally<PurseScope>>();
  for (const { fromMs, names, costNanos } of rows) {
    const name = names[0]!;
    const { scope, id } = purseOf({ owner, ownerId, by }, undefined);
    tallies.getOrInsertComputed(name, () => new Tally(scope, `${id.slice(0, -NO_NAME.length)}${name}`)).spend(costNanos, fromMs);
  }
  return [...tallies.values()];
}

/** The starts of the UTC days before a time. */
function daysBetween(fromMs: number, toMs: number): number[] {
  return Array.from({ length: Math.ceil((toMs - fromMs) / DAY_MS) }, (_, day) => fromMs + day * DAY_MS);
}

function beginOfMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
