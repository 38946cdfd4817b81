import { expect, test } from "bun:test";
import { readCsvRows } from "./csv-rows.ts";

test("reads quotes, commas and line breaks in cells, empty cells, and a long cell", () => {
  expect(readCsvRows('\uFEFFa,b\r\n"1, ""2""\n3",\r\n"",x', "f.csv")).toEqual([
    { a: '1, "2"\n3', b: null },
    { a: "", b: "x" },
  ]);
  const long = "x".repeat(5_000_000);
  expect(readCsvRows(`a\n"${long}"`, "f.csv")).toEqual([{ a: long }]);
});

test.each([
  ['a\n"1', "f.csv is not valid CSV: see character 3"],
  ["a,b\n1", "f.csv: row 1 has 1 cells instead of 2"],
])("names the place of a mistake in %j", (text, message) => {
  expect(() => readCsvRows(text, "f.csv")).toThrow(message);
});
