import { randomBase62 } from "../lib/text/base62.ts";
import { mayAccess, type Actor } from "./access.ts";
import type { Role } from "./person.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `interrupted`: the process that wrote it has stopped. Only a `done` export has a file. */
export const EXPORT_STATES = ["running", "done", "failed", "cancelled", "interrupted"] as const;
type ExportState = (typeof EXPORT_STATES)[number];

/** An export of requests that is written in the background, and downloaded later. */
export interface RequestExport {
  readonly id: string;
  /** The person who started it, in the console or with an access token. The operator token has its own exports. */
  readonly ownerId: string;
  /** The role that it was written for: an operator's file has columns that members do not see. */
  readonly role: Role;
  /** The account whose requests it contains; null if it may contain the requests of all accounts. */
  readonly accountId: string | null;
  readonly format: ExportFormat;
  /** The filters, as they were given. */
  readonly filters: Readonly<Record<string, string | number>>;
  readonly state: ExportState;
  readonly rows: number;
  /** The number of requests that it will contain; null until they are counted, and if there are too many to count. */
  readonly total: number | null;
  readonly bytes: number;
  /** Why it failed, for its owner. */
  readonly error: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** The maximum number of exports per person, in any state. */
export const MAX_EXPORTS = 5;
export const MAX_EXPORT_BYTES = 1024 ** 3;
/** The maximum size of the exports of all people together. */
export const MAX_EXPORTS_BYTES = 8 * MAX_EXPORT_BYTES;
const LIFETIME_MS = 24 * 3_600_000;

export function makeExport(
  wanted: Pick<RequestExport, "ownerId" | "role" | "accountId" | "format" | "filters">,
  nowMs: number,
): RequestExport {
  return {
    id: `exp_${randomBase62(22)}`,
    ...wanted,
    state: "running",
    rows: 0,
    total: null,
    bytes: 0,
    error: null,
    createdAtMs: nowMs,
    endedAtMs: null,
    expiresAtMs: nowMs + LIFETIME_MS,
  };
}

export function exportOwner({ personId, id }: Actor): string {
  return personId ?? id;
}

/**
 * Whether the actor may see an export. It must be the actor's own, and the actor must still have access to its requests: a person who is no
 * longer an operator, or who has moved to another account, has lost earlier exports.
 */
export function maySeeExport(actor: Actor, { ownerId, role, accountId }: RequestExport): boolean {
  if (ownerId !== exportOwner(actor)) return false;
  return role === "operator" ? actor.role === "operator" : mayAccess(actor, accountId!);
}
