import { setImmediate as nextTurn } from "node:timers/promises";
import type { Mark } from "../../stores/alerts/alert-store.ts";
import type { HourlySpend, HourlySpendStore } from "../../stores/alerts/hourly-spend-store.ts";
import { makeAlert } from "../alert.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";
import { hourAt, updateBaseline, newBaseline, baselineOf } from "./hourly-spend.ts";

/** A multiple of the baseline that is no longer a busy day but a loop, or a leaked key. */
const BASELINE_FACTOR = 10n;

/** Below a dollar per hour no alert is worthwhile. */
const MIN_NANOS: Nanos = 1_000_000_000n;

const ROWS_PER_WRITE = 200;

/** A key that spends nothing is checked by nobody: after a day without an unusual hour its alert is over. */
const QUIET_HOURS = 24;

const SUBJECT = "hour ";

/** A key whose spend has changed, how an alert names it, and its total spend. */
export interface MovedKey {
  readonly record: KeyRecord;
  readonly named: () => Readonly<Record<string, unknown>>;
  readonly totalNanos: Nanos;
}

/**
 * `key.unusual_spend`: keys that spend far more in this hour than their hourly spend baseline. Only keys with spend in this hour are in
 * memory; they are stored at its end. A crash loses the end of one hour, which is then counted in the next.
 */
export class UnusualSpendRule {
  readonly #store: HourlySpendStore;
  readonly #known = new Map<string, HourlySpend>();
  #hour = 0;

  constructor(store: HourlySpendStore) {
    this.#store = store;
  }

  async check(moved: readonly MovedKey[], marks: Marks, nowMs: number): Promise<Found[]> {
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

function checkHour({ record, named }: MovedKey, hours: HourlySpend, marks: Marks, nowMs: number): Found[] {
  const { hour, nanos } = hours;
  const usual = baselineOf(hours);
  const subject = `${SUBJECT}${record.id}`;
  const lastHour = Number(marks.get(subject)?.value ?? Number.NaN);
  const isUnusual = usual !== undefined && nanos >= MIN_NANOS && nanos > usual * BASELINE_FACTOR;
  // An hour starts at zero spend: the condition ends only after a whole usual hour.
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
