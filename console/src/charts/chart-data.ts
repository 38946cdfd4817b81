/** An hour or a day on the x axis. */
export interface Slot {
  /** The bucket name in the API: `2027-01-31`, or `2027-10-31T02:00+02:00`. */
  readonly name: string;
  /** The tick label: `31 Jan`, or `02:00`. */
  readonly tick: string;
  /** The full date for tooltips and tables: `Sun, 31 Jan 2027`. */
  readonly title: string;
  /** The bucket is incomplete: it has not ended yet, or the range starts or ends within it. */
  readonly isPartial: boolean;
}

/** One value per slot. Null means no data, which is not zero. */
export interface Series {
  readonly id: string;
  readonly label: string;
  /** The column of the CSV download, if it differs from the ID. */
  readonly column?: string;
  /** Such as `var(--color-series-1)`. */
  readonly color: string;
  readonly values: readonly (number | null)[];
  /** The exact decimal text of money, for the CSV download. */
  readonly exact?: readonly (string | null)[];
}

export interface ChartData {
  readonly slots: readonly Slot[];
  readonly series: readonly Series[];
  /** The total of the previous period in each slot, drawn as a dashed line. */
  readonly previous?: Series | undefined;
}

/** Whether there is anything to draw. */
export function isEmpty({ series }: ChartData): boolean {
  return series.every(({ values }) => values.every((value) => value === null || value === 0));
}

/** The values of all series in one slot. */
export interface ChartRow {
  readonly slot: Slot;
  readonly cells: readonly (number | null)[];
}

export function rowsOf({ slots, series }: ChartData): ChartRow[] {
  return slots.map((slot, at) => ({ slot, cells: series.map(({ values }) => values[at] ?? null) }));
}

/** All series with values. The series of the previous period is last. */
export function allSeries({ series, previous }: ChartData): readonly Series[] {
  return previous ? [...series, previous] : series;
}

/** The chart's text alternative for screen readers: total, range and maximum of each series. */
export function summarize(title: string, total: string, data: ChartData, format: (value: number) => string): string {
  const [first, last] = [data.slots[0], data.slots.at(-1)];
  if (!first || !last || isEmpty(data)) return `${title}: no data in this range.`;
  const highest = data.series.map(({ label, values }) => {
    const known = values.map((value) => value ?? -1);
    const top = Math.max(...known);
    const at = known.indexOf(top);
    return top <= 0 ? `${label}: none` : `${label}: maximum ${format(top)} on ${data.slots[at]!.title}`;
  });
  const partial = last.isPartial ? ` ${last.title} is incomplete.` : "";
  return `${title}: ${total}, from ${first.title} to ${last.title}. ${highest.join(". ")}.${partial} Use the arrow keys to read values.`;
}
