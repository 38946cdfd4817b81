import { AdmissionDeadline } from "../../src/stores/ledger/leases/admission-deadline.ts";
import type { JoinReply } from "../../src/stores/ledger/leases/authority.ts";
import type { InstanceState } from "../../src/stores/ledger/leases/instance.ts";
import type { ProcessChange } from "../../src/stores/ledger/leases/process-change.ts";
import type { PurseState } from "../../src/stores/ledger/leases/purse-state.ts";
import { fromChangeFields, toChangeFields } from "../../src/stores/ledger/journal/journal-fields.ts";
import { CreditSlices } from "../../src/stores/ledger/leases/credit-slices.ts";

export interface Message {
  readonly epoch: number;
  readonly sentAtMs: number;
  readonly changes: readonly ProcessChange[];
}

export interface ReceivedReply {
  readonly sentAtMs: number;
  readonly state: InstanceState;
  readonly appliedSeq: number;
  readonly purses: readonly PurseState[];
}

/** A gateway process with its journal, and the messages between it and the authority. A crash loses everything but the journal. */
export class ModelProcess {
  readonly instanceId: string;
  readonly journal: ProcessChange[] = [];
  readonly slices = new CreditSlices((change) => this.journal.push(fromChangeFields(toChangeFields(change))));
  readonly deadline = new AdmissionDeadline();
  /** The requests for which the process has requested an overdraft from the authority. */
  readonly overdrawn = new Map<string, number>();
  /** Settlements with an idempotent reply that the authority has not confirmed: number and charge, by request. */
  readonly unconfirmed = new Map<string, { readonly seq: number; readonly amountNanos: bigint }>();
  outbox: Message[] = [];
  inbox: ReceivedReply[] = [];
  epoch = 0;
  isConnected = false;
  isCrashed = false;
  /** Whether an operator has written the process off, and the process knows it. */
  isFenced = false;

  constructor(instanceId: string) {
    this.instanceId = instanceId;
  }

  connected({ epoch, state, appliedSeq, purses }: JoinReply, nowMs: number): void {
    this.outbox = [];
    this.inbox = [];
    this.epoch = epoch;
    this.isConnected = true;
    this.isFenced = state === "written_off";
    this.slices.connected(appliedSeq, purses);
    if (!this.isFenced) this.deadline.answered(nowMs);
  }

  /** A shipment has at most `most` changes. */
  send(nowMs: number, most: number): void {
    this.outbox.push({ epoch: this.epoch, sentAtMs: nowMs, changes: this.slices.unapplied.slice(0, most) });
  }

  receive(pick: number): void {
    const [reply] = this.inbox.splice(pick % this.inbox.length, 1);
    if (!reply) return;
    this.slices.acknowledge(reply.appliedSeq, reply.purses);
    this.isFenced ||= reply.state === "written_off";
    if (this.isFenced) this.deadline.expire();
    else this.deadline.answered(reply.sentAtMs);
  }

  disconnect(): void {
    this.outbox = [];
    this.inbox = [];
    this.isConnected = false;
  }
}
