import { setImmediate as nextTurn } from "node:timers/promises";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import type { HourlySpend, HourlySpendStore, DaySpending } from "../../stores/alerts/hourly-spend-store.ts";
import { makeAlert } from "../alert.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { crossing, type SubjectFinding, type Marks } from "./crossing.ts";

/** The multiple of the baseline that raises an alert: too high for a busy day, so probably a loop or a leaked key. */
const BASELINE_FACTOR = 10n;

/** Spend below a dollar per hour is not worth an alert. */
const MIN_NANOS: Nanos = 1_000_000_000n;

const ROWS_PER_WRITE = 200;

/** The alert for a key is resolved after a day without an unusual hour, because a key without new spend is not checked. */
const QUIET_HOURS = 24;

const SUBJECT = "hour ";

/** A key whose spend has changed, how an alert names it, and its total spend. */
export interface KeyWithNewSpend {
  readonly record: KeyRecord;
  readonly named: () => Readonly<Record<string, unknown>>;
  readonly totalNanos: Nanos;
}

/**
 * `key.unusual_spend`: keys that spend far more in this hour than their hourly spend baseline. Only keys with spend in this hour are in
 * memory; their spend is stored at the end of the hour. After a crash, the rest of the hour's spend is counted in the next hour.
 */
export class UnusualSpendRule {
  readonly #store: HourlySpendStore;
  readonly #known = new Map<string, HourlySpend>();
  #hour = 0;

  constructor(store: HourlySpendStore) {
    this.#store = store;
  }

  async check(moved: readonly KeyWithNewSpend[], marks: Marks, nowMs: number): Promise<SubjectFinding[]> {
    const hour = hourAt(nowMs);
    if (hour !== this.#hour) {
      await this.write();
      this.#known.clear();
      this.#hour = hour;
    }
    const stored = await this.#store.find(moved.map(({ record }) => record.id).filter((id) => !this.#known.has(id)));
    return moved.flatMap((key) => {
      const { id } = key.record;
      const known = this.#known.get(id) ?? stored.get(id) ?? newBaseline(hour, key.totalNanos);
      const hours = updateBaseline(known, hour, key.totalNanos);
      this.#known.set(id, hours);
      return checkHour(key, hours, marks, nowMs);
    });
  }

  async write(): Promise<void> {
    const rows = [...this.#known];
    for (let at = 0; at < rows.length; at += ROWS_PER_WRITE) {
      await this.#store.put(rows.slice(at, at + ROWS_PER_WRITE));
      await nextTurn();
    }
  }
}

/** Whether the last unusual hour of a key, by its mark, is a day ago. */
export function isLongOver(subject: string, { value }: Mark, nowMs: number): boolean {
  return subject.startsWith(SUBJECT) && Number(value) <= hourAt(nowMs) - QUIET_HOURS;
}

function checkHour({ record, named }: KeyWithNewSpend, hours: HourlySpend, marks: Marks, nowMs: number): SubjectFinding[] {
  const { hour, nanos } = hours;
  const usual = baselineOf(hours);
  const subject = `${SUBJECT}${record.id}`;
  const lastHour = Number(marks.get(subject)?.value ?? Number.NaN);
  const isUnusual = usual !== undefined && nanos >= MIN_NANOS && nanos > usual * BASELINE_FACTOR;
  // Every hour starts at zero spend, so the condition ends only after a whole hour of usual spend.
  const isAlerted = lastHour === hour || lastHour === hour - 1;
  if (!isUnusual && isAlerted) return [];
  return crossing({ subject, isMet: isUnusual, value: String(hour) }, marks, nowMs, () =>
    isAlerted
      ? undefined
      : makeAlert(
          "key.unusual_spend",
          {
            ...named(),
            hour: new Date(hour * 3_600_000).toISOString(),
            spent: formatDollars(nanos),
            usual_hour: formatDollars(usual!),
          },
          nowMs,
        ),
  );
}

const HOURS_IN_A_DAY = 24;

/** Older hours are ignored: they say nothing about the current baseline. */
const HISTORY_DAYS = 7;

/** With fewer hours of use than this, there is no baseline: otherwise, a first busy afternoon would raise an alert. */
const MIN_HOURS = 24;

function hourAt(nowMs: number): number {
  return Math.floor(nowMs / 3_600_000);
}

/** A key without history. Its earlier spend does not count for any hour. */
export function newBaseline(hour: number, totalNanos: Nanos): HourlySpend {
  return { hour, nanos: 0n, totalNanos, days: [] };
}

/** Updates the baseline with the key's total spend. The difference to the last check was spent in this hour. */
export function updateBaseline(known: HourlySpend, hour: number, totalNanos: Nanos): HourlySpend {
  const advanced = advanceTo(known, hour);
  return { ...advanced, nanos: advanced.nanos + totalNanos - known.totalNanos, totalNanos };
}

/** The hourly spend baseline: the mean over the hours of use in the last days; undefined when there were too few. */
export function baselineOf({ hour, days }: HourlySpend): Nanos | undefined {
  const recent = days.filter(({ day }) => day >= dayOf(hour) - HISTORY_DAYS);
  const hours = recent.reduce((sum, each) => sum + each.hours, 0);
  if (hours < MIN_HOURS) return undefined;
  return recent.reduce((sum, each) => sum + each.nanos, 0n) / BigInt(hours);
}

/** Adds a completed hour to its day. If the clock is set back by an hour, the current hour continues. */
function advanceTo(known: HourlySpend, hour: number): HourlySpend {
  if (hour === known.hour || hour === known.hour - 1) return known;
  const recent = known.days.filter(({ day }) => day >= dayOf(hour) - HISTORY_DAYS);
  return { ...known, hour, nanos: 0n, days: known.nanos > 0n ? withHour(recent, dayOf(known.hour), known.nanos) : recent };
}

function withHour(days: readonly DaySpending[], day: number, nanos: Nanos): DaySpending[] {
  const last = days.at(-1);
  if (last?.day !== day) return [...days, { day, nanos, hours: 1 }];
  return [...days.slice(0, -1), { day, nanos: last.nanos + nanos, hours: last.hours + 1 }];
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_IN_A_DAY);
}
