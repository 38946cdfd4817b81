import { expect, test } from "bun:test";
import { formatTable, type Column } from "./table.ts";

interface Item {
  readonly name: string;
  readonly id: string;
  readonly spare: string;
}

const COLUMNS: readonly Column<Item>[] = [
  { heading: "NAME", cell: ({ name }) => name, isLong: true },
  { heading: "ID", cell: ({ id }) => id, isSpare: true },
  { heading: "SPARE", cell: ({ spare }) => spare, isSpare: true },
];

test("in a narrow terminal spare columns are omitted, the last one first, before text is truncated", () => {
  const items = [{ name: "a long name", id: "12345678", spare: "12,345" }];
  const at = (width?: number): string => formatTable(COLUMNS, items, width).split("\n")[1]!;
  expect(at()).toBe("a long name  12345678  12,345");
  expect(at(29)).toBe("a long name  12345678  12,345");
  expect(at(28)).toBe("a long name  12345678");
  expect(at(20)).toBe("a long name");
  expect(at(10)).toBe("a long na…");
});

test("in a narrow terminal prose is wrapped below its row, and complete", () => {
  const columns: readonly Column<Item>[] = [...COLUMNS, { heading: "CHANGE", cell: () => "one two three four", isProse: true }];
  const items = [
    { name: "first", id: "1", spare: "2" },
    { name: "second", id: "3", spare: "4" },
  ];
  expect(formatTable(columns, items).split("\n")[1]).toBe("first   1   2      one two three four");
  expect(formatTable(columns, items, 37).split("\n")[0]).toBe("NAME    ID  SPARE  CHANGE");
  expect(formatTable(columns, items, 17)).toBe(
    "NAME    ID  SPARE\nfirst   1   2\n    one two three\n    four\nsecond  3   4\n    one two three\n    four\n",
  );
});
