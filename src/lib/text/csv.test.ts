import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { writeCsvRecord } from "../../../test/reconciliation/write-csv.ts";
import { readCsv, type CsvOptions } from "./csv.ts";

class CsvError extends Error {}

const OPTIONS: CsvOptions = {
  maxCells: 200,
  maxCellLength: 10_000,
  fail: (problem, line) => new CsvError(`line ${line}: ${problem}`),
};

function read(text: string, options = OPTIONS): string[][] {
  return [...readCsv(text, options)].map(({ cells }) => [...cells]);
}

function isEmpty(record: readonly string[]): boolean {
  return record.length === 1 && record[0] === "";
}

function problemIn(text: string): string {
  try {
    read(text);
  } catch (error) {
    expect(error).toBeInstanceOf(CsvError);
    return (error as CsvError).message;
  }
  return "none";
}

test("reads quotes, commas, line feeds and doubled quotes by RFC 4180", () => {
  expect(read('a,b\r\n"x, y","say ""so"""\r\n')).toEqual([
    ["a", "b"],
    ["x, y", 'say "so"'],
  ]);
  expect(read('a,b\n"1\r\n2",\n')).toEqual([
    ["a", "b"],
    ["1\r\n2", ""],
  ]);
});

test("accepts a byte order mark, empty lines, and a last line without an end", () => {
  expect(read("\uFEFFa,b\n\n1,2\r\n\r\n3,4")).toEqual([
    ["a", "b"],
    ["1", "2"],
    ["3", "4"],
  ]);
  expect(read("")).toEqual([]);
});

test("each record has its first line number, also after a multi-line record", () => {
  expect([...readCsv('a,b\n"1\n1\n1",2\n\n3,4\n', OPTIONS)].map(({ line }) => line)).toEqual([1, 2, 6]);
});

test("reads long cells and records where there is no limit", () => {
  const long = "x".repeat(5_000_000);
  const { fail } = OPTIONS;
  expect(read(`a\n${long}\n"${long}"`, { fail })).toEqual([["a"], [long], [long]]);
  expect(read(",".repeat(1000), { fail })).toEqual([Array<string>(1001).fill("")]);
});

describe("rejects malformed files with the line number", () => {
  const cases: [string, string, string][] = [
    ["a file that was cut off", "a,b,c\n1,2,3\n4,5", "line 3: it has 2 cells, but the first line has 3"],
    ["too many cells", "a,b\n1,2\n3,4,5\n", "line 3: it has 3 cells, but the first line has 2"],
    ["a quote that nobody closes", 'a,b\n1,"2\n3,4\n', "line 2: a quoted cell has no closing quote"],
    ["a quote within a cell", 'a,b\n1,2"3"\n', "line 2: an unquoted cell contains a quote"],
    ["text behind a quote", 'a,b\n\n"1" ,2\n', "line 3: the closing quote of a cell is followed by other text"],
    ["a carriage return alone", "a,b\r1,2\r", "line 1: a carriage return is not followed by a line feed"],
    ["a cell without end", `a\n${"x".repeat(10_001)}\n`, "line 2: a cell is longer than 10000 characters"],
    ["a quoted cell without end", `a\n"${"x".repeat(10_001)}"\n`, "line 2: a cell is longer than 10000 characters"],
    ["a line without end", ",".repeat(1000), "line 1: it has more than 200 cells"],
  ];
  for (const [what, text, problem] of cases) test(what, () => expect(problemIn(text)).toBe(problem));
});

test("round-trips any cells", () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[",\r\n a]{0,8}$/), fc.string({ unit: "binary", maxLength: 12 }));
  const records = fc
    .integer({ min: 1, max: 5 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 6 }));
  fc.assert(
    fc.property(records, (all) => {
      // A byte order mark is the only character with a special meaning before the first cell.
      fc.pre(!(all[0]?.[0]?.startsWith("\uFEFF") ?? false));
      expect(read(all.map(writeCsvRecord).join(""))).toEqual(all.filter((record) => !isEmpty(record)));
    }),
    runs(300),
  );
});

test("any text gives records of one length, or an error with a line number", () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.stringMatching(/^[a",\r\n]{0,60}$/));
  fc.assert(
    fc.property(text, (given) => {
      const problem = problemIn(given);
      if (problem !== "none") expect(problem).toMatch(/^line \d+: /);
      else expect(new Set(read(given).map((cells) => cells.length)).size).toBeLessThan(2);
    }),
    runs(1000),
  );
});
