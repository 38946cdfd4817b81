/** A row of a comparison. A changed row has both lines. */
export interface DiffRow {
  readonly kind: "same" | "changed" | "removed" | "added";
  readonly left?: string;
  readonly right?: string;
}

/** The maximum size of the table that finds the common lines. Four million cells take some tens of milliseconds and 8 MB. */
const MAX_CELLS = 4_000_000;

/**
 * Compares two texts line by line. If the part between the first and the last difference is too long for that, all its lines count as
 * changed.
 */
export function diffLines(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return [
    ...left.slice(0, start).map(same),
    ...diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...left.slice(left.length - end).map(same),
  ];
}

function same(line: string): DiffRow {
  return { kind: "same", left: line, right: line };
}

function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  if (left.length * right.length > MAX_CELLS) return replaced(left, right);
  const width = right.length + 1;
  const lengths = commonLengths(left, right);
  const rows: DiffRow[] = [];
  let [at, other, fromLeft, fromRight] = [0, 0, 0, 0];
  const flush = (): void => void rows.push(...replaced(left.slice(fromLeft, at), right.slice(fromRight, other)));
  while (at < left.length && other < right.length) {
    if (left[at] === right[other]) {
      flush();
      rows.push(same(left[at]!));
      at++;
      other++;
      [fromLeft, fromRight] = [at, other];
    } else if (lengths[(at + 1) * width + other]! >= lengths[at * width + other + 1]!) at++;
    else other++;
  }
  [at, other] = [left.length, right.length];
  flush();
  return rows;
}

/** For each pair of positions, the length of the longest common subsequence of the lines after it. */
function commonLengths(left: readonly string[], right: readonly string[]): Uint16Array {
  const width = right.length + 1;
  const lengths = new Uint16Array((left.length + 1) * width);
  for (let at = left.length - 1; at >= 0; at--) {
    for (let other = right.length - 1; other >= 0; other--) {
      const cell = at * width + other;
      lengths[cell] = left[at] === right[other] ? lengths[cell + width + 1]! + 1 : Math.max(lengths[cell + width]!, lengths[cell + 1]!);
    }
  }
  return lengths;
}

/** Removed lines, side by side with the lines that replace them. */
function replaced(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => {
    const [before, after] = [left[at], right[at]];
    if (before === undefined) return { kind: "added", right: after! };
    return after === undefined ? { kind: "removed", left: before } : { kind: "changed", left: before, right: after };
  });
}
