import { expect, test } from "bun:test";
import type { DataColumn } from "../data-table/data-column.ts";
import { fitColumns } from "./fit-columns.ts";

const COLUMNS: readonly DataColumn<{ readonly note: string }>[] = [
  { id: "name", title: "Name", width: 200, grows: true, cell: () => null },
  { id: "note", title: "Note", width: 160, text: ({ note }) => note, cell: () => null },
];

function widthFor(...notes: readonly string[]): number | undefined {
  const rows = notes.map((note) => ({ note }));
  return fitColumns(COLUMNS, rows).get("note");
}

test("a column is as wide as its longest text, up to its width", () => {
  expect(widthFor("ten digits", "")).toBe(104);
  expect(widthFor("a")).toBe(56);
  expect(widthFor("longer than the column may ever be")).toBe(160);
});

test("a column without any text is omitted, and one that does not fit its text keeps its width", () => {
  expect([...fitColumns(COLUMNS, [{ note: "" }, { note: "" }])]).toEqual([["name", 200]]);
});
