import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeyHours, KeyHourStore } from "../../stores/alerts/key-hour-store.ts";
import { makeAlert } from "../alert.ts";
import type { KeyRecord } from "../../access/api-key.ts";
import { formatDollars, type Nanos } from "../../money/money.ts";
import { crossing, type Found, type Marks } from "./crossing.ts";
import { hourAt, spentBy, unknownKey, usualHour } from "./hourly-spend.ts";

/** So many times the usual is not a busy day any more but a loop, or somebody else's use of the key. */
const TIMES_THE_USUAL = 10n;

/** Below a dollar an hour nobody wants to be woken. */
const LEAST_NANOS: Nanos = 1_000_000_000n;

const ROWS_AT_ONCE = 200;

/** A key that has moved, how an alert names it, and what it has spent ever. */
export interface MovedKey {
  readonly record: KeyRecord;
  readonly named: () => Readonly<Record<string, unknown>>;
  readonly totalNanos: Nanos;
}

/**
 * `key.unusual_spend`: keys that spend far more in this hour than they usually do. Only those that have spent in this hour are in
 * memory; they are written down when it is over. A crash costs the end of one hour, which is then counted in the next.
 */
export class UnusualSpendRule {
  readonly #store: KeyHourStore;
  readonly #known = new Map<string, KeyHours>();
  #hour = 0;

  constructor(store: KeyHourStore) {
    this.#store = store;
  }

  async look(moved: readonly MovedKey[], marks: Marks, nowMs: number): Promise<Found[]> {
    const hour = hourAt(nowMs);
    if (hour !== this.#hour) {
      await this.write();
      this.#known.clear();
      this.#hour = hour;
    }
    const stored = await this.#store.find(moved.map(({ record }) => record.id).filter((id) => !this.#known.has(id)));
    return moved.flatMap((key) => {
      const { id } = key.record;
      const known = this.#known.get(id) ?? stored.get(id) ?? unknownKey(hour, key.totalNanos);
      const hours = spentBy(known, hour, key.totalNanos);
      this.#known.set(id, hours);
      return lookAtHour(key, hours, marks, nowMs);
    });
  }

  async write(): Promise<void> {
    const rows = [...this.#known];
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      await this.#store.put(rows.slice(at, at + ROWS_AT_ONCE));
      await nextTurn();
    }
  }
}

function lookAtHour({ record, named }: MovedKey, hours: KeyHours, marks: Marks, nowMs: number): Found[] {
  const { hour, nanos } = hours;
  const usual = usualHour(hours);
  const subject = `hour ${record.id}`;
  const lastHour = Number(marks.get(subject)?.value ?? Number.NaN);
  const isUnusual = usual !== undefined && nanos >= LEAST_NANOS && nanos > usual * TIMES_THE_USUAL;
  // An hour begins with nothing spent: it is over only when a whole one was as usual.
  const isTold = lastHour === hour || lastHour === hour - 1;
  if (!isUnusual && isTold) return [];
  return crossing({ subject, isSo: isUnusual, value: String(hour) }, marks, nowMs, () =>
    isTold
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
