/** An hour or a day that a chart has a place for. */
export interface Slot {
  /** As the platform names it: `2027-01-31`, or `2027-10-31T02:00+02:00`. */
  readonly name: string;
  /** Below the chart: `31 Jan`, or `02:00`. */
  readonly tick: string;
  /** Where there is room: `Sun, 31 Jan 2027`. */
  readonly title: string;
  /** A part of it is not counted: it is not over yet, or the range begins or ends within it. */
  readonly isPartial: boolean;
}

/** The values of one thing, a place for each slot. Null is where nothing is known, which is not nought. */
export interface Series {
  readonly id: string;
  readonly label: string;
  /** Such as `var(--color-series-1)`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  /** What the platform said, where numbers cannot hold it: money. It goes into the file that is downloaded. */
  readonly exact?: readonly (string | null)[];
}

export interface ChartData {
  readonly slots: readonly Slot[];
  readonly series: readonly Series[];
}

/** Whether there is anything to draw. */
export function isEmpty({ series }: ChartData): boolean {
  return series.every(({ values }) => values.every((value) => value === null || value === 0));
}

/** What one slot has of each series. */
export interface ChartRow {
  readonly slot: Slot;
  readonly cells: readonly (number | null)[];
}

export function rowsOf({ slots, series }: ChartData): ChartRow[] {
  return slots.map((slot, at) => ({ slot, cells: series.map(({ values }) => values[at] ?? null) }));
}

/** A sentence for those who do not see the chart: what it is of, how far it goes, and its highest point. */
export function summarize(title: string, total: string, data: ChartData, format: (value: number) => string): string {
  const [first, last] = [data.slots[0], data.slots.at(-1)];
  if (!first || !last || isEmpty(data)) return `${title}: nothing in this range.`;
  const highest = data.series.map(({ label, values }) => {
    const known = values.map((value) => value ?? -1);
    const top = Math.max(...known);
    const at = known.indexOf(top);
    return top <= 0 ? `${label}: none` : `${label}: at most ${format(top)}, on ${data.slots[at]!.title}`;
  });
  const partial = last.isPartial ? ` The last, ${last.title}, is not complete.` : "";
  return `${title}: ${total}, from ${first.title} to ${last.title}. ${highest.join(". ")}.${partial} The arrow keys go through it.`;
}
