import type { Generated } from "kysely";
import type { Announcement, ModelState } from "../../models/catalog.ts";

/** A row of `announcements`. */
export interface AnnouncementTable {
  id: Generated<number>;
  model: string;
  state: string;
  shutdown_date: string | null;
  replacement: string | null;
  at_ms: number;
  actor: string;
  actor_name: string;
}

export function toRow({ model, state, atMs, actor, actorName }: Announcement): Omit<AnnouncementTable, "id"> {
  return {
    model,
    state: state.name,
    shutdown_date: state.name === "deprecated" ? state.shutdownDate : null,
    replacement: state.name === "available" ? null : state.replacement,
    at_ms: atMs,
    actor,
    actor_name: actorName,
  };
}

export function fromRow(row: Omit<AnnouncementTable, "id"> & { id: number }): Announcement & { id: number } {
  return { id: row.id, model: row.model, state: stateOf(row), atMs: row.at_ms, actor: row.actor, actorName: row.actor_name };
}

function stateOf({ state, shutdown_date: shutdownDate, replacement }: Omit<AnnouncementTable, "id">): ModelState {
  if (state === "deprecated") return { name: "deprecated", shutdownDate: shutdownDate!, replacement: replacement! };
  return state === "retired" ? { name: "retired", replacement: replacement! } : { name: "available" };
}
