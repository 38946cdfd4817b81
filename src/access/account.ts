import { NO_CAPS, NO_LIMITS, type Caps, type Limits } from "../money/limits.ts";
import type { Nanos } from "../money/money.ts";

/** Who owns keys and credit. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  /** The models that its keys may call, as far as each key's own list goes: ids, prefixes such as `gpt-*`, or `*`. */
  readonly models: readonly string[];
  readonly limits: Limits;
  readonly caps: Caps;
  /** Below this an alert is raised. Null where only the end of all credit is one. */
  readonly lowCreditNanos: Nanos | null;
  /** Whether the request log keeps what its callers and the models say. */
  readonly logBodies: boolean;
}

/** What an account may be called: short, and safe in a path. */
export const ACCOUNT_ID = "^[a-z0-9][a-z0-9._-]{0,62}$";

/** The account of keys that are made without naming one. It is always there. */
export const DEFAULT_ACCOUNT = "default";

export function makeAccount(id: string, name: string, createdAtMs: number): Account {
  return { id, name, createdAtMs, models: ["*"], limits: NO_LIMITS, caps: NO_CAPS, lowCreditNanos: null, logBodies: false };
}
