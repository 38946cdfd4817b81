import type { Entry, HoldEntry } from "../../src/money/ledger-entry.ts";
import type { PurseTerms } from "../../src/money/credit-line.ts";
import type { Purse } from "../../src/money/purse.ts";
import type { JoinReply, ShipmentReply } from "../../src/stores/ledger/leases/authority.ts";
import type { Instance } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import type { Balance, Progress } from "../../src/stores/ledger/ledger-store.ts";

type Soon<Result> = Result | Promise<Result>;

/** The authority of a history. Everything that is read from it reflects the last operation. */
export interface ModelledAuthority {
  nowMs: number;
  readonly caps: Record<string, PurseTerms>;
  /** The last reported progress of responses in flight. */
  readonly progress: Map<string, Progress>;
  readonly entries: readonly Entry[];

  join(instanceId: string): Soon<JoinReply>;
  apply(instanceId: string, epoch: number, changes: readonly ProcessChange[]): Soon<ShipmentReply>;
  end(instanceId: string, state: "closed" | "written_off"): Soon<void>;
  lose(instanceId: string): Soon<void>;
  credit(accountId: string, amountNanos: bigint): Soon<void>;
  /** The authority is killed: its memory is lost. `start` follows. */
  restart(): Soon<void>;
  /** Applies the journals of ended processes. */
  start(): Soon<void>;
  /** Restores the database to the state this many operations ago. `start` follows. */
  restore(back: number): Soon<void>;

  find(instanceId: string): Readonly<Instance> | undefined;
  /** Whether the authority does not know the leases of this process yet. */
  isUnstated(instanceId: string): boolean;
  freeOf(purse: Purse): bigint | undefined;
  leaseOf(instanceId: string, purse: Purse): bigint;
  leasedOf(purse: Purse): bigint;
  balanceOf(accountId: string): Balance;
  readonly openHolds: number;
  /** The open holds of the authority's own process, if it has one. */
  ownHolds(): readonly HoldEntry[];
}

/** How far below zero the credit of an account may go. In histories it is always limited. */
export function lineOf({ caps }: Pick<ModelledAuthority, "caps">, accountId: string): bigint {
  return (caps[`account:${accountId}`]!.creditLine as bigint | undefined) ?? 0n;
}
