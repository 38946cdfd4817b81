import { PLAIN_ATTRIBUTION, type AttributionSettings } from "./attribution-settings.ts";
import { NO_CAPS, NO_LIMITS, type Caps, type Limits } from "../money/limits.ts";
import { NO_CREDIT_LINE, type CreditLine } from "../money/credit-line.ts";
import type { Nanos } from "../money/money.ts";

/** The owner of keys and credit. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** The models that its keys may call, further limited by each key's own list: ids, prefixes such as `gpt-*`, or `*`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
  /** How far below zero its credit may go: an account that is billed afterwards. */
  readonly creditLine: CreditLine;
  /** A balance below this raises an alert. Null: only exhausted credit does. */
  readonly lowCreditNanos: Nanos | null;
  /** Whether prompts and responses are logged in the request log. */
  readonly logBodies: boolean;
  readonly attribution: AttributionSettings;
  /** Whether the holder of a key sees the account's remaining credit and spend caps, which show what other keys spend. */
  readonly showCredit: boolean;
  /** The id of its price list. Null: it pays the base prices. */
  readonly priceList: string | null;
  /** Since when it is archived: hidden from lists, and its keys are rejected. */
  readonly archivedAtMs: number | null;
}

/** Valid account ids: short, and safe in a URL path. */
export const ACCOUNT_ID = "^[a-z0-9][a-z0-9._-]{0,62}$";

/** The account of keys that are created without one. It always exists. */
export const DEFAULT_ACCOUNT = "default";

export function makeAccount(id: string, name: string, createdAtMs: number): Account {
  return {
    id,
    name,
    createdAtMs,
    models: ["*"],
    limits: NO_LIMITS,
    caps: NO_CAPS,
    creditLine: NO_CREDIT_LINE,
    lowCreditNanos: null,
    logBodies: false,
    attribution: PLAIN_ATTRIBUTION,
    showCredit: true,
    priceList: null,
    archivedAtMs: null,
  };
}
