import { ApiError, type ErrorCode } from "../../requests/api-error.ts";
import { isImpossibleDate, parseIsoDate } from "../../lib/time/iso-date.ts";
import { type Schema, formatPath, type Path, type Violation } from "../../lib/schema/schema.ts";
import { endpointOf, MODEL_ENDPOINTS, type Attribution, type ModelEndpoint, type Tags } from "../../money/attribution.ts";
import type { Origin } from "../../models/catalog.ts";
import type { Platform } from "../platform.ts";
import { summarizeList } from "../../lib/text/summarize-list.ts";
import type { Account } from "../../access/account.ts";
import type { AttributionSettings } from "../../access/attribution-settings.ts";
import { keyWithParts, partWithoutAttribution, WITHOUT_ATTRIBUTION } from "../../access/breakdown-settings.ts";
import type { Caps, Limits } from "../../money/limits.ts";

/** A timestamp in a reply. */
export const timeSchema = { type: "string", description: "A timestamp, such as 2027-01-31T12:00:00.000Z." } as const satisfies Schema;

export function viewTime(ms: number): string;
export function viewTime(ms: number | null): string | null;
export function viewTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** A timestamp in a request: a date, or a date and a time. */
export function readTime(text: string, param: string): number {
  const ms = parseIsoDate(text);
  if (ms !== undefined) return ms;
  if (isImpossibleDate(text)) throw new ApiError("invalid_value", `${param} is ${text}, which does not exist in the calendar.`, { param });
  throw new ApiError("invalid_value", `${param} must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.`, { param });
}

export function readFutureTime(text: string, param: string, nowMs: number): number {
  const ms = readTime(text, param);
  if (ms > nowMs) return ms;
  throw new ApiError("invalid_value", `${param} must be in the future.`, { param });
}

/** The end user, tags, conversation and endpoint of a request, in responses. */
export const attributionSchemas = {
  user: {
    type: "string",
    nullable: true,
    description: "The end user, as the account stores it; null without one, and `erased` if it was erased.",
  },
  tags: { title: "Tags", type: "object", additionalProperties: { type: "string" }, description: "The values of the tags, by name." },
  conversation: { type: "string", nullable: true, description: "The conversation, as the account stores it; null without one." },
  endpoint: { type: "string", enum: MODEL_ENDPOINTS, description: "The endpoint that the client called, by its API." },
} as const satisfies Record<string, Schema>;

export function viewAttributionOf(attribution: Attribution | null | undefined): {
  user: string | null;
  tags: Tags;
  conversation: string | null;
  endpoint: ModelEndpoint;
} {
  const { user = null, tags = {}, conversation = null } = attribution ?? {};
  return { user, tags, conversation, endpoint: endpointOf(attribution) };
}

export const managedBySchema = {
  type: "string",
  enum: ["operator", "file", "environment"],
  description: "The source of its configuration. Only resources with `operator` can be changed through this API.",
} as const satisfies Schema;

/** Rejects changes to resources that are managed elsewhere, and names the place where they can be changed. */
export function refuseManagedElsewhere(
  kind: "model" | "upstream" | "account" | "price_list" | "endpoint",
  id: string,
  origin: Origin,
  { config }: Platform,
): void {
  const noun = kind.replace("_", " ");
  if (origin === "file") {
    throw new ApiError(
      "managed_elsewhere",
      `The ${noun} ${id} is declared in ${config!.path} and can be changed only there: ${kind}s, id ${id}. Tollgate reloads the file when it changes.`,
    );
  }
  if (origin === "environment") {
    const found = `The ${kind} ${id} is built in, or was discovered from the environment that Tollgate was started with.`;
    const instead =
      kind === "model" ? "Create a model with this id to replace it." : "Change it there, or create an upstream with another id.";
    throw new ApiError("managed_elsewhere", `${found} ${instead}`);
  }
}

export const spentSchema = {
  title: "Spent",
  type: "object",
  description: "Total charges in dollars: this calendar day and month (UTC), and overall.",
  required: ["day", "month", "total"],
  properties: { day: { type: "string" }, month: { type: "string" }, total: { type: "string" } },
} as const satisfies Schema;

/** Rejects a field that the schema alone cannot check. The message completes a sentence that starts with the field's name. */
export function refuseField(path: Path, message: string, problem: Violation["problem"] = "invalid"): never {
  const param = formatPath(path);
  throw new ApiError(problem === "missing" ? "missing_required_parameter" : "invalid_value", `${param} ${message}.`, { param });
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Rejects the removal of a resource that other resources refer to, and names those: their IDs by kind, such as `keys`. */
export function refuseReferred(what: string, references: Readonly<Record<string, readonly string[]>>, instead: string): void {
  const named = Object.entries(references).filter(([, ids]) => ids.length > 0);
  if (named.length === 0) return;
  const list = named.map(([kind, ids]) => `${kind} ${summarizeList(ids)}`).join("; ");
  throw new ApiError("still_in_use", `${what} cannot be removed while these refer to it: ${list}. ${instead}`);
}

/**
 * Rejects the removal of a key or a model that ledger entries refer to, however old they are: the price and the payer of a request must
 * stay on record.
 */
export async function refuseCharged(
  what: string,
  filter: { readonly keyId: string } | { readonly model: string },
  { ledgerRecords, nowMs }: Platform,
): Promise<void> {
  const tomorrowMs = (Math.floor(nowMs() / DAY_MS) + 2) * DAY_MS;
  const { requests, failed } = (await ledgerRecords.usage({ bounds: [0, tomorrowMs], by: [], ...filter })).total;
  const count = requests + failed;
  if (count === 0) return;
  const entries = `${count} request${count === 1 ? "" : "s"} of the ledger`;
  throw new ApiError("still_in_use", `${what} cannot be removed: ${entries} refer to it. Archive it instead.`);
}

/** Throws a 400 for limits or spend caps per end user or tag of an account or a key whose requests have no end users and tags. */
export function refuseWithoutAttribution(
  restricted: { readonly limits: Limits; readonly caps: Caps },
  attribution: AttributionSettings,
): void {
  const path = partWithoutAttribution(restricted, attribution);
  if (path) throw new ApiError("invalid_value", `${formatPath(path)} ${WITHOUT_ATTRIBUTION}.`, { param: formatPath(path) });
}

/** Throws a 400 for an account without attribution that has a key with such limits or spend caps. */
export function refuseKeysWithout({ id, attribution }: Account, { keys }: Platform): void {
  const keyId = attribution.identities === "off" ? keyWithParts(id, keys) : undefined;
  if (keyId === undefined) return;
  const message = `attribution cannot be off: the key ${keyId} has limits or spend caps per end user or tag. Clear them first.`;
  throw new ApiError("invalid_value", message, { param: "attribution" });
}

/**
 * When a resource entered the state that a request sets or clears. Undefined leaves the state unchanged, and so does a request for the
 * current state.
 */
export function nextStateTimestamp(wanted: boolean | undefined, currentMs: number | null, nowMs: number): number | null {
  if (wanted === undefined) return currentMs;
  return wanted ? (currentMs ?? nowMs) : null;
}

/** The format of an ID. Longer text, or text with a longer run of base62 or base64, may be a misplaced secret and is not echoed. */
const LIKE_AN_ID = /^(?!.*[0-9A-Za-z+/=]{40})[^\p{C}]{1,100}$/u;

/** The error for an id that does not exist, or that the caller may not see. */
export function unknownId(code: ErrorCode, noun: string, id: string): ApiError {
  return new ApiError(code, `There is no ${noun} with ${LIKE_AN_ID.test(id) ? `the id ${JSON.stringify(id)}` : "this id"}.`);
}
