import { expect, test } from "bun:test";
import type { DataColumn } from "./data-column.ts";
import { omitColumns } from "./omit-columns.ts";

const column = (id: string, width: number, from?: DataColumn<unknown>["from"]): DataColumn<unknown> => ({
  id,
  title: id,
  width,
  cell: () => null,
  ...(from && { from }),
});
const COLUMNS = [
  { ...column("time", 100), isFixed: true },
  column("key", 100, "md"),
  column("account", 100, "lg"),
  column("tokens", 100, "lg"),
  column("cost", 100, "sm"),
];

test("omits columns for wider windows first, and of those the last", () => {
  expect(omitColumns(COLUMNS, {}, 500)).toEqual([]);
  expect(omitColumns(COLUMNS, {}, 499)).toEqual(["tokens"]);
  expect(omitColumns(COLUMNS, {}, 250)).toEqual(["tokens", "account", "key"]);
});

test("keeps fixed columns, and those that somebody has chosen", () => {
  expect(omitColumns(COLUMNS, { tokens: true, cost: true }, 10)).toEqual(["account", "key"]);
});
