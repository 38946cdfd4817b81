import { expect, test } from "bun:test";
import { isEmpty, rowsOf, summarize, type ChartData } from "./chart-data.ts";
import { toCsv } from "./to-csv.ts";

const slot = (name: string, isPartial = false): ChartData["slots"][number] => ({ name, tick: name, title: `day ${name}`, isPartial });
const DATA: ChartData = {
  slots: [slot("2027-01-30"), slot("2027-01-31", true)],
  series: [
    { id: "cost", label: "Dollars", color: "red", values: [0.1, 12], exact: ["0.100000000000000001", "12.00"] },
    { id: "p50_ms", label: "Median", color: "blue", values: [null, 3.5] },
  ],
};

test("a file has what the platform said, to the last digit, and nothing where nothing is known", () => {
  expect(toCsv(DATA)).toBe("time,is_partial,cost,p50_ms\r\n2027-01-30,false,0.100000000000000001,\r\n2027-01-31,true,12.00,3.5\r\n");
});

test("a sentence tells the total, how far it goes, the highest points, and that the end is not complete", () => {
  const text = summarize("Spend", "$12.10", DATA, (value) => `${value}!`);
  expect(text).toBe(
    "Spend: $12.10, from day 2027-01-30 to day 2027-01-31. Dollars: at most 12!, on day 2027-01-31. Median: at most 3.5!, on day 2027-01-31. " +
      "The last, day 2027-01-31, is not complete. The arrow keys go through it.",
  );
});

test("nothing and nought everywhere is nothing to draw", () => {
  const nothing = { ...DATA, series: DATA.series.map((series) => ({ ...series, values: [0, null] })) };
  expect([isEmpty(nothing), isEmpty(DATA)]).toEqual([true, false]);
  expect(summarize("Spend", "$0.00", nothing, String)).toBe("Spend: nothing in this range.");
});

test("a row has a cell of each series", () => {
  expect(rowsOf(DATA).map(({ cells }) => cells)).toEqual([
    [0.1, null],
    [12, 3.5],
  ]);
});
