import type { SettleEntry } from "../../../money/ledger-entry.ts";
import type { Purse } from "../../../money/purse.ts";
import { fromChangeFields, fromFields, toChangeFields, toFields, type ChangeFields, type Fields } from "../journal/journal-fields.ts";
import type { IdempotentReply, Progress } from "../ledger-store.ts";
import { fromProgressFields, toProgressFields, type ProgressFields } from "../progress-fields.ts";
import type { JoinReply, ShipmentReply } from "./authority.ts";
import type { InstanceState } from "./instance.ts";
import type { ProcessChange } from "./process-change.ts";
import type { PurseState } from "./purse-state.ts";

/** Messages between a gateway process and the owner process, as JSON: values in order, as in the journal, and amounts as text. */

type PurseFields = [scope: Purse["scope"], id: string];

/** The fields in the journal, and the fields that the journal leaves out. */
type SentChange =
  | ChangeFields
  | ["sent statement", id: number, leases: readonly [...PurseFields, nanos: string][], openRequests: readonly string[]]
  | ["sent direct", id: number, requestId: string, entry: Fields, reply: IdempotentReply];

type SentProgress = readonly [requestId: string, costNanos: string, says: ProgressFields];
type SentPurse = [
  ...PurseFields,
  atMs: number,
  lease: string,
  elsewhere: string,
  isStranded: boolean,
  credit: string,
  day: string,
  month: string,
  total: string,
];

export type SentShipment = [epoch: number, changes: readonly SentChange[], progress: readonly SentProgress[]];
export type SentShipped = [state: InstanceState, isLeasing: boolean, appliedSeq: number, purses: readonly SentPurse[]];
export type SentJoined = [epoch: number, state: InstanceState, appliedSeq: number, purses: readonly SentPurse[]];
export type SentPurses = readonly PurseFields[];

export function toSentChange(change: ProcessChange): SentChange {
  if (change.kind === "direct" && change.settled) {
    return ["sent direct", change.id, change.requestId, toFields(change.settled.entry), change.settled.reply];
  }
  if (change.kind !== "statement" || !change.leases) return toChangeFields(change);
  const leases = change.leases.map(({ purse, nanos }): [...PurseFields, string] => [purse.scope, purse.id, String(nanos)]);
  return ["sent statement", change.id, leases, change.openRequests ?? []];
}

export function fromSentChange(sent: SentChange): ProcessChange {
  if (sent[0] === "sent direct") {
    const [, id, requestId, entry, { body, ...reply }] = sent;
    return { kind: "direct", id, requestId, settled: { entry: fromFields(entry) as SettleEntry, reply: { ...reply, body } } };
  }
  if (sent[0] !== "sent statement") return fromChangeFields(sent);
  const leases = sent[2].map(([scope, id, nanos]) => ({ purse: { scope, id }, nanos: BigInt(nanos) }));
  return { kind: "statement", id: sent[1], leases, openRequests: sent[3] };
}

export function toSentProgress(progress: ReadonlyMap<string, Progress>): readonly SentProgress[] {
  return [...progress].map(([requestId, reported]) => [requestId, String(reported.costNanos), toProgressFields(reported)]);
}

export function fromSentProgress(sent: readonly SentProgress[]): ReadonlyMap<string, Progress> {
  return new Map(sent.map(([requestId, costNanos, says]) => [requestId, fromProgressFields(costNanos, says)]));
}

export function toSentShipped({ state, isLeasing, appliedSeq, purses }: ShipmentReply): SentShipped {
  return [state, isLeasing, appliedSeq, purses.map(toSentPurse)];
}

export function fromSentShipped([state, isLeasing, appliedSeq, purses]: SentShipped): ShipmentReply {
  return { state, isLeasing, appliedSeq, purses: purses.map(fromSentPurse) };
}

export function toSentJoined({ epoch, state, appliedSeq, purses }: JoinReply): SentJoined {
  return [epoch, state, appliedSeq, purses.map(toSentPurse)];
}

export function fromSentJoined([epoch, state, appliedSeq, purses]: SentJoined): JoinReply {
  return { epoch, state, appliedSeq, purses: purses.map(fromSentPurse) };
}

export function toSentPurses(purses: readonly Purse[]): SentPurses {
  return purses.map(({ scope, id }) => [scope, id]);
}

export function fromSentPurses(sent: SentPurses): readonly Purse[] {
  return sent.map(([scope, id]) => ({ scope, id }));
}

function toSentPurse(state: PurseState): SentPurse {
  const { purse, atMs, leaseNanos, elsewhereNanos, isStranded, creditNanos, dayNanos, monthNanos, totalNanos } = state;
  const [lease, elsewhere, credit] = [String(leaseNanos), String(elsewhereNanos), String(creditNanos)];
  return [purse.scope, purse.id, atMs, lease, elsewhere, isStranded, credit, String(dayNanos), String(monthNanos), String(totalNanos)];
}

function fromSentPurse([scope, id, atMs, lease, elsewhere, isStranded, credit, day, month, total]: SentPurse): PurseState {
  return {
    purse: { scope, id },
    atMs,
    leaseNanos: BigInt(lease),
    elsewhereNanos: BigInt(elsewhere),
    isStranded,
    creditNanos: BigInt(credit),
    dayNanos: BigInt(day),
    monthNanos: BigInt(month),
    totalNanos: BigInt(total),
  };
}
