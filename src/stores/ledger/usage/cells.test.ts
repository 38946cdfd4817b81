import { expect, test } from "bun:test";
import { mergeCells, readCells, writeCells, type EncodedCells } from "./cells.ts";
import { addFigures, FIGURE_COUNT, type Figures } from "./figures.ts";

/** Sample cells. Amounts have dollars as well as nano-dollars, and large numbers take several bytes. */
function cellsFrom(first: number, count: number, step: number): Map<number, Figures> {
  return new Map(
    Array.from({ length: count }, (_, at): [number, Figures] => {
      const figures = Float64Array.from({ length: FIGURE_COUNT }, (__, figure) => (at * 7919 * (figure + 1) ** 5) % 999_999_999);
      return [first + at * step, figures];
    }),
  );
}

function decode(encoded: EncodedCells): Map<number, number[]> {
  const cells = new Map<number, number[]>();
  readCells(encoded, (cell, figures) => {
    expect(cells.has(cell)).toBe(false);
    cells.set(cell, [...figures]);
  });
  return new Map([...cells].toSorted(([one], [other]) => one - other));
}

test("sums are added to cells that exist, beside those that do not and those that stay", () => {
  const [stored, added] = [cellsFrom(0, 500, 97), cellsFrom(97 * 250, 300, 194)];
  const expected = new Map([...stored].map(([cell, figures]) => [cell, figures.slice()]));
  for (const [cell, figures] of added) {
    const sums = expected.get(cell);
    if (sums) addFigures(sums, figures);
    else expected.set(cell, figures.slice());
  }
  const merged = mergeCells({ cells: writeCells(stored), figures: FIGURE_COUNT }, added);
  expect(decode({ cells: merged, figures: FIGURE_COUNT })).toEqual(decode({ cells: writeCells(expected), figures: FIGURE_COUNT }));
});

test("cells with fewer figures get all of them", () => {
  const few = FIGURE_COUNT - 3;
  const stored = new Map([...cellsFrom(0, 20, 5)].map(([cell, figures]) => [cell, figures.slice(0, few)]));
  const added = cellsFrom(50, 10, 5);
  const merged = decode({ cells: mergeCells({ cells: writeCells(stored), figures: few }, added), figures: FIGURE_COUNT });
  expect(merged.get(5)).toEqual([...stored.get(5)!, 0, 0, 0]);
  expect(merged.get(50)!.slice(few)).toEqual(Array.from(added.get(50)!).slice(few));
  expect(merged.size).toBe(20);
});

test("a row without cells gets those that are added", () => {
  const added = cellsFrom(3, 40, 1000);
  expect(decode({ cells: mergeCells(undefined, added), figures: FIGURE_COUNT })).toEqual(
    decode({ cells: writeCells(added), figures: FIGURE_COUNT }),
  );
});
