import { expect, test } from "bun:test";
import { noFigures, type Figures } from "./figures.ts";
import { sumsById } from "./rollups.ts";
import { ATTRIBUTION, SeriesBook, type Series, type StoredSeries } from "./series.ts";

const STORED: StoredSeries = {
  lastSeriesId: () => 2,
  findSeries: (_, { name }) => (name === "ada" ? { id: 1, part: 0 } : { id: 2, part: 0 }),
  lastPart: () => ({ part: 0, count: 2 }),
};

const requests = (count: number): Figures => Object.assign(noFigures(), { 0: count });

test("a series that was forgotten and found again counts once in a row, with all of its usage", () => {
  const book = new SeriesBook(STORED, 256, ATTRIBUTION, 100);
  const find = (name: string): Series => book.find("user/acme", "key", "m", name);
  const [before, other] = [find("ada"), find("bob")];
  book.forget();
  const after = find("ada");
  expect(after).not.toBe(before);
  const first = requests(3);
  const cells = new Map([
    [before, first],
    [other, requests(5)],
    [after, requests(4)],
  ]);
  expect([...sumsById({ cells })].map(([id, figures]) => [id, figures[0]])).toEqual([
    [1, 7],
    [2, 5],
  ]);
  // Rows stay pending until their commit is confirmed.
  expect(first[0]).toBe(3);
});
