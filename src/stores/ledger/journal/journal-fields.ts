import type { Attribution } from "../../../money/attribution.ts";
import type { FailedAttempt } from "../../../money/failed-attempt.ts";
import type { EntryOfRequest, SettleEntry } from "../../../money/ledger-entry.ts";
import type { Nanos } from "../../../money/money.ts";
import type { PurseScope } from "../../../money/purse.ts";
import type { PremiumUse, Provenance } from "../../../money/usage.ts";
import type { LeaseChange, ProcessChange } from "../leases/process-change.ts";

type Head = [id: number, accountId: string, atMs: number, actor: string, reason: string, ...Request];
type Request = [requestId: string, keyId: string, model: string, priceVersion: string];
type Served = [
  unchargedNanos: WrittenNanos,
  prompt: number,
  cached: number,
  cacheWrite: number,
  completion: number,
  reasoning: number,
  provenance: Provenance,
  upstream: string,
  upstreamModel: string | null,
  attempts: number,
];
/** A number if that is exact, which takes a tenth of the time of a string. */
type WrittenNanos = number | string;
type FailedAttempts = readonly FailedAttempt[] | null;
/** Optional fields at the end: most settlements have none of them. */
type OptionalFields = [
  costVersion?: string | null,
  attribution?: Attribution | null,
  upstreamCostNanos?: WrittenNanos | null,
  premium?: PremiumUse,
];

/** An entry in the journal: its values in order, without field names, because this is the fastest to serialize. */
export type Fields =
  | ["hold", ...Head, amountNanos: WrittenNanos, attribution?: Attribution]
  | ["release", ...Head, holdId: number, failedAttempts: FailedAttempts, attribution?: Attribution]
  | ["settle", ...Head, holdId: number, amountNanos: WrittenNanos, ...Served, failedAttempts: FailedAttempts, ...OptionalFields];

/** A change of a gateway process in its journal. For a direct settlement and for a statement of leases, the journal has only the number. */
export type ChangeFields =
  | Fields
  | ["direct", id: number, requestId: string]
  | ["confirmed", id: number, entry: Fields, scope: string, digest: string, atMs: number]
  | ["lease", id: number, scope: PurseScope, purseId: string, bound: LeaseChange["bound"], nanos: WrittenNanos]
  | ["statement", id: number];

export function toChangeFields(change: ProcessChange): ChangeFields {
  const { id } = change;
  if (change.kind === "lease") return ["lease", id, change.purse.scope, change.purse.id, change.bound, write(change.nanos)];
  if (change.kind === "statement") return ["statement", id];
  if (change.kind === "confirmed") {
    const { entry, reply } = change;
    return ["confirmed", id, toFields(entry), reply.scope, reply.digest, reply.atMs];
  }
  return change.kind === "direct" ? ["direct", id, change.requestId] : toFields(change);
}

export function fromChangeFields(fields: ChangeFields): ProcessChange {
  const [kind, id] = fields;
  if (kind === "lease") return { kind, id, purse: { scope: fields[2], id: fields[3] }, bound: fields[4], nanos: BigInt(fields[5]) };
  if (kind === "statement") return { kind, id };
  if (kind === "confirmed") {
    const [, , entry, scope, digest, atMs] = fields;
    return { kind, id, entry: fromFields(entry) as SettleEntry, reply: { scope, digest, atMs } };
  }
  return kind === "direct" ? { kind, id, requestId: fields[2] } : fromFields(fields);
}

export function toFields(entry: EntryOfRequest): Fields {
  const { id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, attribution } = entry;
  if (entry.kind === "hold") {
    const fields: Fields = ["hold", id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, write(entry.amountNanos)];
    if (attribution) fields.push(attribution);
    return fields;
  }
  const { holdId, failedAttempts = null } = entry;
  if (entry.kind === "release") {
    const fields: Fields = ["release", id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion, holdId, failedAttempts];
    if (attribution) fields.push(attribution);
    return fields;
  }
  const { usage } = entry;
  const fields: Fields = [
    "settle",
    id,
    accountId,
    atMs,
    actor,
    reason,
    requestId,
    keyId,
    model,
    priceVersion,
    holdId,
    write(entry.amountNanos),
    write(entry.unchargedNanos),
    usage.promptTokens,
    usage.cachedTokens,
    usage.cacheWriteTokens,
    usage.completionTokens,
    usage.reasoningTokens,
    entry.provenance,
    entry.upstream,
    entry.upstreamModel ?? null,
    entry.attempts,
    failedAttempts,
  ];
  addOptional(fields, entry);
  return fields;
}

function addOptional(fields: unknown[], { costVersion, attribution, upstreamCostNanos, usage: { premium } }: SettleEntry): void {
  if (premium) {
    const upstreamCost = upstreamCostNanos === undefined ? null : write(upstreamCostNanos);
    fields.push(costVersion ?? null, attribution ?? null, upstreamCost, premium);
  } else if (upstreamCostNanos !== undefined) fields.push(costVersion ?? null, attribution ?? null, write(upstreamCostNanos));
  else if (attribution) fields.push(costVersion ?? null, attribution);
  else if (costVersion !== undefined) fields.push(costVersion);
}

export function fromFields(fields: Fields): EntryOfRequest {
  const [, id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion] = fields;
  const request = { id, accountId, atMs, actor, reason, requestId, keyId, model, priceVersion };
  if (fields[0] === "hold") return { kind: "hold", ...request, attribution: fields[11], amountNanos: BigInt(fields[10]) };
  if (fields[0] === "release") {
    return { kind: "release", ...request, attribution: fields[12], holdId: fields[10], ...failedIn(fields[11]) };
  }
  const [, , , , , , , , , , holdId, amountNanos, unchargedNanos, prompt, cached, cacheWrite, completion, reasoning, ...served] = fields;
  const [provenance, upstream, upstreamModel, attempts, failedAttempts, costVersion, attribution, upstreamCostNanos, premium] = served;
  return {
    kind: "settle",
    ...request,
    attribution: attribution ?? undefined,
    holdId,
    amountNanos: BigInt(amountNanos),
    unchargedNanos: BigInt(unchargedNanos),
    usage: {
      promptTokens: prompt,
      cachedTokens: cached,
      cacheWriteTokens: cacheWrite,
      completionTokens: completion,
      reasoningTokens: reasoning,
      ...(premium && { premium }),
    },
    provenance,
    upstream,
    upstreamModel: upstreamModel ?? undefined,
    costVersion: costVersion ?? undefined,
    upstreamCostNanos: upstreamCostNanos == null ? undefined : BigInt(upstreamCostNanos),
    attempts,
    ...failedIn(failedAttempts),
  };
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

function write(nanos: Nanos): WrittenNanos {
  return nanos <= MAX_EXACT && nanos >= 0n ? Number(nanos) : String(nanos);
}

function failedIn(failedAttempts: FailedAttempts): { failedAttempts: readonly FailedAttempt[] } | undefined {
  return failedAttempts === null ? undefined : { failedAttempts };
}
