import type { Entry, HoldEntry } from "../../src/money/ledger-entry.ts";
import type { PurseTerms } from "../../src/money/credit-line.ts";
import type { Purse } from "../../src/money/purse.ts";
import type { Joined, Shipped } from "../../src/stores/ledger/leases/authority.ts";
import type { Instance } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import type { Balance, Progress } from "../../src/stores/ledger/ledger-store.ts";

type Soon<Result> = Result | Promise<Result>;

/** An authority that a history is played on. Everything that is read of it is as of the last operation. */
export interface ModelledAuthority {
  nowMs: number;
  readonly caps: Record<string, PurseTerms>;
  /** The last reported progress of responses in flight. */
  readonly progress: Map<string, Progress>;
  readonly entries: readonly Entry[];

  join(instanceId: string): Soon<Joined>;
  apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): Soon<Shipped>;
  end(instanceId: string, state: "closed" | "written_off"): Soon<void>;
  lose(instanceId: string): Soon<void>;
  credit(accountId: string, amountNanos: bigint): Soon<void>;
  /** It is killed: everything in memory is gone. `start` follows. */
  restart(): Soon<void>;
  /** The journals of ended processes are applied. */
  start(): Soon<void>;
  /** The database is restored to so many operations ago. `start` follows. */
  restore(back: number): Soon<void>;

  find(instanceId: string): Readonly<Instance> | undefined;
  /** Whether it has yet to learn the leases of this process. */
  isUnstated(instanceId: string): boolean;
  freeOf(purse: Purse): bigint | undefined;
  leaseOf(instanceId: string, purse: Purse): bigint;
  leasedOf(purse: Purse): bigint;
  balanceOf(accountId: string): Balance;
  readonly openHolds: number;
  /** The open holds of its own process, if it has one. */
  ownHolds(): readonly HoldEntry[];
}

/** How far below zero the credit of an account may go. In histories it always has an end. */
export function lineOf({ caps }: Pick<ModelledAuthority, "caps">, accountId: string): bigint {
  return (caps[`account:${accountId}`]!.creditLine as bigint | undefined) ?? 0n;
}
