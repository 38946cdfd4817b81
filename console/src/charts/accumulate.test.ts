import { expect, test } from "bun:test";
import { accumulate } from "./accumulate.ts";

const series = { id: "a", label: "a", color: "red" };

test("adds up the values of each series and of the previous period, money exactly", () => {
  const money = { ...series, values: [0.1, 0.2, null, -0.1], exact: ["0.1", "0.200000001", null, "-0.1"] };
  const data = accumulate({ slots: [], series: [{ ...series, values: [1, 2, 3] }, money], previous: { ...series, values: [4, null, 1] } });
  expect(data.series[0]!.values).toEqual([1, 3, 6]);
  expect(data.series[1]).toMatchObject({
    values: [0.1, 0.300000001, null, 0.200000001],
    exact: ["0.100000000", "0.300000001", null, "0.200000001"],
  });
  expect(data.previous.values).toEqual([4, null, 5]);
});
