import { setImmediate as nextTurn } from "node:timers/promises";
import type { LastUsedStore } from "../../stores/last-used/last-used-store.ts";
import { makeAlert } from "../alert.ts";
import type { Catalog, Model } from "../../models/catalog.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";

const DAY_MS = 86_400_000;

/** Days before the shutdown date at which an alert is raised, if the model is still in use; 0 is the date itself. */
const STAGES_DAYS = [0, 1, 7, 30];

/** A model counts as in use for this long after its last request. */
const RECENT_DAYS = 7;

const KEYS_AT_ONCE = 1000;

/** `model.retiring`: deprecated models near their shutdown date that are still in use. */
export async function checkModelRetirement(catalog: Catalog, lastUsed: LastUsedStore, marks: Marks, nowMs: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const model of catalog.values()) found.push(...(await checkModel(model, lastUsed, marks, nowMs)));
  return found;
}

async function checkModel({ id, state }: Model, lastUsed: LastUsedStore, marks: Marks, nowMs: number): Promise<Found[]> {
  const subject = `model ${id}`;
  if (state.name !== "deprecated") return crossing({ subject, isMet: false, value: "" }, marks, nowMs, () => undefined);
  const { shutdownDate, replacement } = state;
  const daysLeft = Math.ceil((Date.parse(shutdownDate) - nowMs) / DAY_MS);
  const stage = STAGES_DAYS.find((days) => daysLeft <= days);
  const value = `${shutdownDate} ${stage}`;
  // Counting keys is expensive, and unnecessary after the alert.
  if (stage !== undefined && marks.get(subject)?.value === value) return [];
  const keys = stage === undefined ? 0 : await countKeys(id, lastUsed, nowMs);
  return crossing({ subject, isMet: stage !== undefined && keys > 0, value }, marks, nowMs, () =>
    makeAlert(
      "model.retiring",
      { model: id, shutdown_date: shutdownDate, days_left: Math.max(0, daysLeft), replacement, keys_in_last_7_days: keys },
      nowMs,
    ),
  );
}

async function countKeys(model: string, lastUsed: LastUsedStore, nowMs: number): Promise<number> {
  const filter = { sinceMs: nowMs - RECENT_DAYS * DAY_MS, accountIds: [] };
  let count = 0;
  for (let after: string | undefined; ;) {
    const page = await lastUsed.keysUsing(model, filter, after, KEYS_AT_ONCE);
    count += page.length;
    if (page.length < KEYS_AT_ONCE) return count;
    after = page.at(-1)!.keyId;
    await nextTurn();
  }
}

/** Whether this is the subject of a removed model. */
export function isOfGoneModel(subject: string, catalog: Catalog): boolean {
  return subject.startsWith("model ") && !catalog.has(subject.slice("model ".length));
}
