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

test("exports exact decimals to CSV, and an empty cell where there is no data", () => {
  expect(toCsv(DATA)).toBe("time,is_partial,cost,p50_ms\r\n2027-01-30,false,0.100000000000000001,\r\n2027-01-31,true,12.00,3.5\r\n");
});

test("summarizes total, range, maxima and the incomplete last slot", () => {
  const text = summarize("Spend", "$12.10", DATA, (value) => `${value}!`);
  expect(text).toBe(
    "Spend: $12.10, from day 2027-01-30 to day 2027-01-31. Dollars: maximum 12! on day 2027-01-31. Median: maximum 3.5! on day 2027-01-31. " +
      "day 2027-01-31 is incomplete. Use the arrow keys to read values.",
  );
});

test("treats a chart of zeros and gaps as empty", () => {
  const nothing = { ...DATA, series: DATA.series.map((series) => ({ ...series, values: [0, null] })) };
  expect([isEmpty(nothing), isEmpty(DATA)]).toEqual([true, false]);
  expect(summarize("Spend", "$0.00", nothing, String)).toBe("Spend: no data in this range.");
});

test("has a cell per series in each row", () => {
  expect(rowsOf(DATA).map(({ cells }) => cells)).toEqual([
    [0.1, null],
    [12, 3.5],
  ]);
});
