/** The number of rows that are rendered above and below the visible rows, so that a scroll shows rows before the next render. */
const OVERSCAN = 12;
/** The window moves by this many rows at a time, so that few scroll events cause a render. */
const STEP = 6;

/** Rows from `start` to before `end`. */
export interface RowWindow {
  readonly start: number;
  readonly end: number;
}

/** The rows to render. `above` is how far the first row is above the top of the viewport, in pixels. */
export function windowOf(above: number, viewHeight: number, rowHeight: number, count: number): RowWindow {
  const first = Math.floor(above / rowHeight);
  const last = Math.ceil((above + viewHeight) / rowHeight);
  const start = Math.floor((first - OVERSCAN) / STEP) * STEP;
  const end = Math.ceil((last + OVERSCAN) / STEP) * STEP;
  return { start: Math.min(Math.max(0, start), count), end: Math.min(Math.max(0, end), count) };
}

/** A part of the table's body: rendered rows, or a gap that replaces rows that are not rendered. */
interface Segment extends RowWindow {
  readonly isGap: boolean;
}

/** The body as rendered rows and gaps. The active row is always rendered: if it were removed, the focus would be lost. */
export function segmentsOf({ start, end }: RowWindow, active: number | undefined, count: number): readonly Segment[] {
  const rendered: RowWindow[] = [{ start, end }];
  if (active !== undefined && active < count && (active < start || active >= end)) {
    const alone = { start: active, end: active + 1 };
    if (active < start) rendered.unshift(alone);
    else rendered.push(alone);
  }
  const segments: Segment[] = [];
  let at = 0;
  for (const rows of rendered) {
    if (rows.start > at) segments.push({ start: at, end: rows.start, isGap: true });
    if (rows.end > rows.start) segments.push({ ...rows, isGap: false });
    at = Math.max(at, rows.end);
  }
  if (at < count) segments.push({ start: at, end: count, isGap: true });
  return segments;
}
