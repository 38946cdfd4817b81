import { expect } from "bun:test";
import { dayAt } from "../../src/money/period-sums.ts";
import { type Purse, purseKey } from "../../src/money/purse.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import { isChargeOf, USER, type ServedRequest } from "./keys-and-requests.ts";
import type { ModelledAuthority } from "./modelled-authority.ts";
import type { ModelProcess } from "./process.ts";

/** The purses that a history uses. The first key has no spend cap, and so no purse. */
const PURSES: readonly Purse[] = [
  { scope: "account", id: "a" },
  { scope: "account", id: "b" },
  { scope: "key", id: "a2" },
  { scope: "key", id: "b1" },
  USER,
];

/**
 * I1: a batch leaves no purse below zero, or, if it was below zero before, no lower than before. The exception is a cost above its hold: it
 * may overdraw an account that is not in debt, once, and exceed spend caps, as in a single process.
 */
export function checkBatch(
  authority: ModelledAuthority,
  before: ReadonlyMap<Purse, bigint>,
  changes: readonly ProcessChange[],
  isFirstStatement: boolean,
): void {
  for (const [purse, free] of before) {
    let overdrawn = 0n;
    for (const change of changes) {
      if (isFirstStatement) overdrawn += leasedBefore(change, purse);
      if (change.kind !== "lease" || change.bound !== "overdraw" || purseKey(change.purse) !== purseKey(purse)) continue;
      overdrawn = purse.scope !== "account" ? overdrawn + change.nanos : change.nanos > overdrawn ? change.nanos : overdrawn;
    }
    const least = (free < 0n ? free : 0n) - overdrawn;
    if (authority.freeOf(purse)! < least)
      throw new Error(`I1: ${purseKey(purse)} has ${authority.freeOf(purse)} free, at least ${least} expected`);
  }
}

/** The amount that a change takes from a lease from before a start of the authority. It does not depend on the currently free amount. */
function leasedBefore(change: ProcessChange, purse: Purse): bigint {
  if (change.kind === "statement") return change.leases?.find((lease) => purseKey(lease.purse) === purseKey(purse))?.nanos ?? 0n;
  const entry = change.kind === "direct" ? change.settled?.entry : change;
  return entry?.kind === "settle" && isChargeOf(purse, entry) ? entry.amountNanos : 0n;
}

/** I1: a process spends at most its lease, and the authority knows at least that lease. I5: a fenced process admits nothing. */
export function checkProcess(process: ModelProcess, authority: ModelledAuthority, wasRestored: boolean): void {
  const instance = authority.find(process.instanceId);
  if (process.isFenced && process.deadline.mayAdmit(authority.nowMs)) throw new Error("I5: a process that was written off admits requests");
  if (wasRestored || !instance || instance.state === "written_off") return;
  // A new authority does not know the leases yet, and grants no leases.
  if (authority.isUnstated(process.instanceId)) return;
  const pending = process.journal.filter(({ id }) => id > instance.appliedSeq);
  for (const purse of PURSES) {
    const slice = process.slices.find(purse);
    if (!slice) continue;
    let charged = 0n;
    for (const change of pending) {
      if (change.kind === "settle" && isChargeOf(purse, change)) charged += change.amountNanos;
    }
    const known = authority.leaseOf(process.instanceId, purse);
    if (slice.leaseNanos > 0n && slice.leaseNanos + charged > known) {
      throw new Error(
        `I1: ${process.instanceId} believes in ${slice.leaseNanos} + ${charged} of ${purseKey(purse)}, and has leased ${known}`,
      );
    }
  }
}

/**
 * I2, I3, I6: at the end of a history, each request has one hold, one end, and the charge that its client saw; and all leases are returned.
 */
export function checkTruth(authority: ModelledAuthority, requests: ReadonlyMap<string, ServedRequest>): void {
  const charges = new Map<string, bigint>();
  const ends = new Set<string>();
  const credit = new Map<string, bigint>([
    ["a", 0n],
    ["b", 0n],
  ]);
  for (const entry of authority.entries) {
    const sign = entry.kind === "settle" ? -1n : entry.kind === "grant" || entry.kind === "adjustment" ? 1n : 0n;
    if ("amountNanos" in entry) credit.set(entry.accountId, credit.get(entry.accountId)! + sign * entry.amountNanos);
    if (entry.kind === "settle" || entry.kind === "release") {
      if (ends.has(entry.requestId)) throw new Error(`I3: ${entry.requestId} ended twice`);
      ends.add(entry.requestId);
      const chargedId = entry.requestId.replace(/^late:/, "");
      if (entry.kind === "settle") charges.set(chargedId, (charges.get(chargedId) ?? 0n) + entry.amountNanos);
    } else if (entry.kind === "adjustment" && entry.reference.startsWith("late:")) {
      const requestId = entry.reference.slice("late:".length);
      charges.set(requestId, (charges.get(requestId) ?? 0n) - entry.amountNanos);
    }
  }
  for (const [requestId, { charge, unseenCharge, amountNanos }] of requests) {
    const booked = charges.get(requestId) ?? 0n;
    if (charge === undefined && booked > amountNanos && booked !== unseenCharge)
      throw new Error(`I2: ${requestId} broke off and was charged ${booked} of ${amountNanos}`);
    if (charge !== undefined && booked !== charge) throw new Error(`I2: ${requestId} was charged ${booked}, its caller saw ${charge}`);
  }
  for (const purse of PURSES) expect([purseKey(purse), authority.leasedOf(purse)]).toEqual([purseKey(purse), 0n]);
  const { dayNanos } = authority.caps[purseKey(USER)]!;
  expect(authority.freeOf(USER)).toBe(dayNanos! - spentToday(authority));
  for (const [id, sum] of credit) {
    const { creditNanos, heldNanos } = authority.balanceOf(id);
    expect([id, creditNanos, heldNanos]).toEqual([id, sum, 0n]);
  }
}

/** Today's spend of the end user, who makes all requests of account `b`. */
function spentToday({ entries, nowMs }: ModelledAuthority): bigint {
  let nanos = 0n;
  for (const entry of entries) {
    if (entry.kind === "settle" && entry.accountId === "b" && dayAt(entry.atMs) === dayAt(nowMs)) nanos += entry.amountNanos;
  }
  return nanos;
}
