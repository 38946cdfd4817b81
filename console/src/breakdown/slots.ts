import type { Slot } from "../charts/chart-data.ts";
import { dateFormat } from "../parts/format/locale.ts";
import { bucketsOf, type Range } from "./range.ts";

/** The slots of a chart over a range: one per hour or day. */
export function slotsOf(range: Range, nowMs: number): Slot[] {
  const { zone, unit, toMs } = range;
  const style = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => dateFormat({ timeZone: zone, ...options });
  const tick = style(unit === "hour" ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" });
  const title = style({
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    ...(unit === "hour" && { hour: "2-digit", minute: "2-digit" }),
  });
  const endMs = Math.min(toMs ?? nowMs, nowMs);
  return bucketsOf(range, nowMs).map((bucket) => ({
    name: bucket.name,
    tick: tick.format(bucket.fromMs),
    title: title.format(bucket.fromMs),
    isPartial: bucket.fromMs < range.fromMs || bucket.toMs > endMs,
  }));
}

/** The API row of each slot; undefined if there is none. */
export function inSlots<Row extends { readonly hour?: string; readonly day?: string }>(
  slots: readonly Slot[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const byName = new Map(rows.map((row) => [row.hour ?? row.day, row]));
  return slots.map(({ name }) => byName.get(name));
}
