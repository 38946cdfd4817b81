import type { DiffRow } from "./line-diff.ts";

/** The number of unchanged lines that stay visible before and after a change. */
const CONTEXT = 3;

/** The rows to show, and between them the numbers of hidden unchanged rows. */
export function collapseSame(rows: readonly DiffRow[]): readonly (DiffRow | number)[] {
  const isNear = new Uint8Array(rows.length);
  rows.forEach(({ kind }, at) => {
    if (kind !== "same") isNear.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  });
  const shown: (DiffRow | number)[] = [];
  rows.forEach((row, at) => {
    const last = shown.at(-1);
    if (isNear[at]) shown.push(row);
    else if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  });
  return shown;
}
