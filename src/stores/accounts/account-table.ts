import type { Account } from "../../access/account.ts";
import { PLAIN_ATTRIBUTION, type AttributionSettings } from "../../access/attribution-settings.ts";
import { NO_CREDIT_LINE, type CreditLine } from "../../money/credit-line.ts";
import { readCaps, readLimits, writeCaps, writeLimits } from "../../money/limits.ts";

/** A row of `accounts`. `models` is a JSON array of patterns, limits and caps are JSON. */
export interface AccountTable {
  id: string;
  name: string;
  created_at_ms: number;
  limits: string;
  caps: string;
  models: string;
  /** Nano-dollars as text, or `unlimited`; null for none. */
  credit_line: string | null;
  /** Nano-dollars as text, because they may be larger than a number holds. */
  low_credit_nanos: string | null;
  /** 1 or 0. */
  log_bodies: number;
  /** JSON; null for the default. */
  attribution: string | null;
  /** 1 or 0. */
  show_credit: number;
  price_list: string | null;
  archived_at_ms: number | null;
}

export function toRow(account: Account): AccountTable {
  const { id, name, createdAtMs, models, limits, caps, creditLine, lowCreditNanos, logBodies, attribution, priceList, archivedAtMs } =
    account;
  return {
    id,
    name,
    created_at_ms: createdAtMs,
    limits: writeLimits(limits),
    caps: writeCaps(caps),
    models: JSON.stringify(models),
    credit_line: creditLine === NO_CREDIT_LINE ? null : String(creditLine),
    low_credit_nanos: lowCreditNanos === null ? null : String(lowCreditNanos),
    log_bodies: logBodies ? 1 : 0,
    attribution: JSON.stringify(attribution),
    show_credit: account.showCredit ? 1 : 0,
    price_list: priceList,
    archived_at_ms: archivedAtMs,
  };
}

export function fromRow(row: AccountTable): Account {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    models: JSON.parse(row.models) as string[],
    limits: readLimits(row.limits),
    caps: readCaps(row.caps),
    creditLine: readCreditLine(row.credit_line),
    lowCreditNanos: row.low_credit_nanos === null ? null : BigInt(row.low_credit_nanos),
    logBodies: row.log_bodies === 1,
    attribution: { ...PLAIN_ATTRIBUTION, ...(JSON.parse(row.attribution ?? "{}") as Partial<AttributionSettings>) },
    showCredit: row.show_credit === 1,
    priceList: row.price_list,
    archivedAtMs: row.archived_at_ms,
  };
}

function readCreditLine(text: string | null): CreditLine {
  if (text === null) return NO_CREDIT_LINE;
  return text === "unlimited" ? text : BigInt(text);
}
