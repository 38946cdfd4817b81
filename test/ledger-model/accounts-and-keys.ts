import { makeAccount, type Account } from "../../src/access/account.ts";
import type { KeyRecord } from "../../src/access/api-key.ts";
import { NO_CAPS, NO_LIMITS, type Caps } from "../../src/money/limits.ts";

/** One unit of a history's money. It is odd and large, so that amounts and sums exceed the exact range of JavaScript numbers. */
export const UNIT = 30_000_000_000_001n;

export const inUnits = (amount: number): bigint => BigInt(amount) * UNIT;

export const accounts: readonly Account[] = [
  makeAccount("a", "A", 0),
  { ...makeAccount("b", "B", 0), caps: { ...NO_CAPS, monthNanos: inUnits(700) }, creditLine: inUnits(150) },
  { ...makeAccount("c", "C", 0), creditLine: "unlimited" },
];

/** How far below zero the credit of an account may go. */
export function lineOf(accountId: string): bigint {
  const { creditLine } = accounts.find(({ id }) => id === accountId)!;
  return creditLine === "unlimited" ? inUnits(1_000_000) : creditLine;
}

const keyOf = (id: string, accountId: string, caps: Caps): KeyRecord => ({
  id,
  accountId,
  caps,
  name: id,
  hash: Buffer.alloc(0),
  previous: null,
  models: [],
  limits: NO_LIMITS,
  createdAtMs: 0,
  expiresAtMs: null,
  revokedAtMs: null,
  imported: null,
  pausedAtMs: null,
  archivedAtMs: null,
});

export const keys: readonly KeyRecord[] = [
  keyOf("a1", "a", NO_CAPS),
  keyOf("a2", "a", { ...NO_CAPS, dayNanos: inUnits(400) }),
  keyOf("b1", "b", { ...NO_CAPS, totalNanos: inUnits(900) }),
  keyOf("c1", "c", { ...NO_CAPS, dayNanos: inUnits(600) }),
];

/** The end users of an account. Their spend is counted as if they had spend caps. */
export const users = ["u0", "u1"] as const;
