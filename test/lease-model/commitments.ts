import type { ServedRequest } from "./keys-and-requests.ts";
import { lineOf, type ModelledAuthority } from "./modelled-authority.ts";
import type { ModelProcess } from "./process.ts";

/**
 * The sum of the charges and holds of all processes, whether the authority knows them or not. It never exceeds the account's credit and
 * credit line, with these exceptions: a negative adjustment, a lowered credit line, the cost of one request above its hold, requests of a
 * process that was written off too early, and credit or leases that a restored database has lost.
 */
export class Commitments {
  readonly #authority: ModelledAuthority;
  readonly #requests: ReadonlyMap<string, ServedRequest>;
  readonly #allowed = new Map<string, bigint>();
  readonly #largestExcess = new Map<string, bigint>();

  constructor(authority: ModelledAuthority, requests: ReadonlyMap<string, ServedRequest>) {
    this.#authority = authority;
    this.#requests = requests;
  }

  allow(accountId: string, nanos: bigint): void {
    this.#allowed.set(accountId, (this.#allowed.get(accountId) ?? 0n) + nanos);
  }

  noteExcess(accountId: string, nanos: bigint): void {
    if (nanos > (this.#largestExcess.get(accountId) ?? 0n)) this.#largestExcess.set(accountId, nanos);
  }

  /** Operators' writes in the lost tail are gone: credit and write-offs. So are the leases of processes that connected during it. */
  async noteRestore(restore: () => void | Promise<void>, processes: readonly ModelProcess[]): Promise<void> {
    const credit = new Map(["a", "b"].map((id) => [id, this.#creditOf(id)]));
    const writtenOff = new Set([...this.#requests.values()].map(({ process }) => process).filter((process) => this.#isWrittenOff(process)));
    await restore();
    for (const [id, before] of credit) if (this.#creditOf(id) < before) this.allow(id, before - this.#creditOf(id));
    for (const { process, accountId, amountNanos, charge, unseenCharge } of this.#requests.values()) {
      const isForgotten = !this.#authority.find(process) || (writtenOff.has(process) && !this.#isWrittenOff(process));
      if (isForgotten) this.allow(accountId, charge ?? unseenCharge ?? amountNanos);
    }
    for (const process of processes) {
      for (const id of ["a", "b"]) this.allow(id, this.#forgottenLease(process, id));
    }
  }

  /**
   * The amount that a process may spend of an account beyond the lease that the authority knows. Zero if all processes must report their
   * leases before the authority leases again.
   */
  #forgottenLease({ instanceId, slices, journal }: ModelProcess, accountId: string): bigint {
    const instance = this.#authority.find(instanceId);
    const lease = slices.find({ scope: "account", id: accountId })?.leaseNanos ?? 0n;
    if (!instance) return lease;
    if (this.#authority.isUnstated(instanceId)) return 0n;
    let nanos = lease - this.#authority.leaseOf(instanceId, { scope: "account", id: accountId });
    for (const change of journal) {
      if (change.id > instance.appliedSeq && change.kind === "settle" && change.accountId === accountId) nanos += change.amountNanos;
    }
    return nanos > 0n ? nanos : 0n;
  }

  #isWrittenOff(process: string): boolean {
    return this.#authority.find(process)?.state === "written_off";
  }

  /** Returns whether an account has committed more than its credit and its credit line. */
  check(): boolean {
    let isOnLine = false;
    for (const accountId of ["a", "b"]) {
      const line = lineOf(this.#authority, accountId);
      const left = this.#creditOf(accountId) + line - this.#committed(accountId);
      const least = -(this.#allowed.get(accountId) ?? 0n) - (this.#largestExcess.get(accountId) ?? 0n);
      if (left < least) throw new Error(`I1: the account ${accountId} has ${left} left in truth, at least ${least} expected`);
      isOnLine ||= left >= 0n && left < line;
    }
    return isOnLine;
  }

  /** Grants and adjustments, minus the charges of the authority's own process. */
  #creditOf(accountId: string): bigint {
    let nanos = 0n;
    for (const entry of this.#authority.entries) {
      if (entry.accountId !== accountId) continue;
      if (entry.kind === "settle" && entry.requestId.startsWith("own")) nanos -= entry.amountNanos;
      else if ((entry.kind === "grant" || entry.kind === "adjustment") && !entry.reference.startsWith("late:")) nanos += entry.amountNanos;
    }
    for (const hold of this.#authority.ownHolds()) if (hold.accountId === accountId) nanos -= hold.amountNanos;
    return nanos;
  }

  #committed(accountId: string): bigint {
    let nanos = 0n;
    for (const [requestId, request] of this.#requests) if (request.accountId === accountId) nanos += this.#commitmentOf(requestId, request);
    return nanos;
  }

  /**
   * A request of an ended process counts with the amount booked for it. A written-off process may still serve a request, beyond its lease.
   */
  #commitmentOf(requestId: string, { process, amountNanos, charge, unseenCharge }: ServedRequest): bigint {
    const state = this.#authority.find(process)?.state;
    if (state === "closed" || state === "written_off") return this.#bookedFor(requestId);
    return charge ?? unseenCharge ?? amountNanos;
  }

  /** A late end may return some of the amount that the write-off has charged. If it charges more, that is a named exception. */
  #bookedFor(requestId: string): bigint {
    let nanos = 0n;
    for (const entry of this.#authority.entries) {
      if (entry.kind === "settle" && entry.requestId === requestId) nanos += entry.amountNanos;
      else if (entry.kind === "adjustment" && entry.reference === `late:${requestId}` && entry.amountNanos > 0n) nanos -= entry.amountNanos;
    }
    return nanos;
  }
}
