import { randomBase62 } from "../lib/text/base62.ts";
import { mayAccess, type Actor } from "./access.ts";
import type { Role } from "./person.ts";

export const EXPORT_FORMATS = ["csv", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `interrupted`: the process that wrote it has stopped. Only `done` has a file. */
export const EXPORT_STATES = ["running", "done", "failed", "cancelled", "interrupted"] as const;
type ExportState = (typeof EXPORT_STATES)[number];

/** An export of requests that is written in the background, and downloaded later. */
export interface RequestExport {
  readonly id: string;
  /** The person who started it, in the console or with an access token; the operator token has exports of its own. */
  readonly ownerId: string;
  /** The role that it was written for: the file of an operator has columns that members do not see. */
  readonly role: Role;
  /** The one account that its requests belong to; null where they may belong to any. */
  readonly accountId: string | null;
  readonly format: ExportFormat;
  /** The filters, as they were given. */
  readonly filters: Readonly<Record<string, string | number>>;
  readonly state: ExportState;
  readonly rows: number;
  /** The number of requests that it will have; null until they are counted, and where there are too many to count. */
  readonly total: number | null;
  readonly bytes: number;
  /** Why it failed, for its owner. */
  readonly error: string | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly expiresAtMs: number;
}

/** Per person, in whichever state. */
export const MAX_EXPORTS = 5;
export const MAX_EXPORT_BYTES = 1024 ** 3;
/** Of the exports of all people together. */
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
 * Whether the actor may see an export: one of its own, whose requests it may still list. A person who is no longer an operator, or who is now in
 * another account, has lost the exports from before.
 */
export function maySeeExport(actor: Actor, { ownerId, role, accountId }: RequestExport): boolean {
  if (ownerId !== exportOwner(actor)) return false;
  return role === "operator" ? actor.role === "operator" : mayAccess(actor, accountId!);
}
