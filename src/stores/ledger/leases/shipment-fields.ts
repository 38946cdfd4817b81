import type { SettleEntry } from "../../../money/ledger-entry.ts";
import type { Purse } from "../../../money/purse.ts";
import { fromChangeFields, fromFields, toChangeFields, toFields, type ChangeFields, type Fields } from "../journal/journal-fields.ts";
import type { IdempotentReply } from "../ledger-store.ts";
import { fromProgressFields, toProgressFields, type ProgressFields } from "../progress-fields.ts";
import type { Shipment } from "./authority.ts";
import type { ProcessChange } from "./process-change.ts";

type PurseFields = [scope: Purse["scope"], id: string];

/** The fields in the journal, and the fields that the journal leaves out. */
type SentChange =
  | ChangeFields
  | ["sent statement", id: number, leases: readonly [...PurseFields, nanos: string][], openRequests: readonly string[]]
  | ["sent direct", id: number, requestId: string, entry: Fields, reply: IdempotentReply];

/**
 * A shipment from a gateway process to the owner process. Every request is in one, so its changes have the form of the journal: as tagged
 * JSON they would take five times as long.
 */
export interface SentShipment {
  readonly epoch: number;
  readonly changes: readonly SentChange[];
  readonly progress: readonly (readonly [requestId: string, costNanos: string, ProgressFields])[];
}

export function toSentShipment({ epoch, changes, progress }: Omit<Shipment, "instanceId">): SentShipment {
  return {
    epoch,
    changes: changes.map(toSentChange),
    progress: Array.from(progress, ([requestId, reported]) => [requestId, String(reported.costNanos), toProgressFields(reported)]),
  };
}

export function fromSentShipment(instanceId: string, { epoch, changes, progress }: SentShipment): Shipment {
  return {
    instanceId,
    epoch,
    changes: changes.map(fromSentChange),
    progress: new Map(progress.map(([requestId, costNanos, fields]) => [requestId, fromProgressFields(costNanos, fields)])),
  };
}

function toSentChange(change: ProcessChange): SentChange {
  if (change.kind === "direct" && change.settled) {
    return ["sent direct", change.id, change.requestId, toFields(change.settled.entry), change.settled.reply];
  }
  if (change.kind !== "statement" || !change.leases) return toChangeFields(change);
  const leases = change.leases.map(({ purse, nanos }): [...PurseFields, string] => [purse.scope, purse.id, String(nanos)]);
  return ["sent statement", change.id, leases, change.openRequests ?? []];
}

function fromSentChange(sent: SentChange): ProcessChange {
  if (sent[0] === "sent direct") {
    const [, id, requestId, entry, { body, ...reply }] = sent;
    return { kind: "direct", id, requestId, settled: { entry: fromFields(entry) as SettleEntry, reply: { ...reply, body } } };
  }
  if (sent[0] !== "sent statement") return fromChangeFields(sent);
  const leases = sent[2].map(([scope, id, nanos]) => ({ purse: { scope, id }, nanos: BigInt(nanos) }));
  return { kind: "statement", id: sent[1], leases, openRequests: sent[3] };
}
