import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { PartialArguments } from "./gemini-deltas.ts";

function gather(...pieces: object[]): { text: string; isMalformed: boolean } {
  const args = new PartialArguments();
  args.add({ partialArgs: pieces });
  return { text: args.toText(), isMalformed: args.isMalformed };
}

test("sets values by their paths, and appends text fragments", () => {
  const { text, isMalformed } = gather(
    { jsonPath: "$.city", stringValue: "Os", willContinue: true },
    { jsonPath: "$.city", stringValue: "lo" },
    { jsonPath: "$.days", numberValue: 3 },
    { jsonPath: "$.places[0].name", stringValue: "harbour" },
    { jsonPath: "$.places[0].isWet", boolValue: true },
    { jsonPath: "$.places[1].name", nullValue: "NULL_VALUE" },
    { jsonPath: "$['a b'][\"c.d\"]", stringValue: "e" },
  );
  expect(JSON.parse(text)).toEqual({
    city: "Oslo",
    days: 3,
    places: [{ name: "harbour", isWet: true }, { name: null }],
    "a b": { "c.d": "e" },
  });
  expect(isMalformed).toBe(false);
});

test("merges complete values and fragments", () => {
  const args = new PartialArguments();
  args.add({ args: { a: 1 } });
  args.add({ partialArgs: [{ jsonPath: "$.b", numberValue: 2 }] });
  args.add({});
  expect(args.toText()).toBe('{"a":1,"b":2}');
});

describe("a fragment that does not fit is reported, and does no harm", () => {
  const MALFORMED: object[][] = [
    [{ stringValue: "no path" }],
    [{ jsonPath: "$", stringValue: "the whole" }],
    [{ jsonPath: "$..a", stringValue: "a search" }],
    [{ jsonPath: "a", stringValue: "no root" }],
    [{ jsonPath: "$.a" }],
    [{ jsonPath: "$.list[1000000000]", numberValue: 1 }],
    [
      { jsonPath: "$.a", numberValue: 1 },
      { jsonPath: "$.a.b", numberValue: 2 },
    ],
    [
      { jsonPath: "$.a[0]", numberValue: 1 },
      { jsonPath: "$.a.b", numberValue: 2 },
    ],
  ];
  test.each(MALFORMED)("%j", (...pieces) => expect(gather(...pieces)).toMatchObject({ isMalformed: true }));

  test("nested deeper than the stack allows", () => {
    expect(gather({ jsonPath: `$${".a".repeat(500_000)}`, numberValue: 1 })).toEqual({ text: "{}", isMalformed: true });
  });

  test("with a path to a prototype", () => {
    const { text } = gather(
      { jsonPath: "$.__proto__.polluted", stringValue: "yes" },
      { jsonPath: "$.constructor.prototype.polluted", stringValue: "yes" },
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(text).toBe('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}');
  });

  test("whatever it is", () => {
    const path = fc.oneof(fc.string({ unit: fc.constantFrom("$", ".", "[", "]", "'", '"', "\\", "0", "a", "_") }), fc.string());
    const piece = fc.record({ jsonPath: path, stringValue: fc.string(), numberValue: fc.double() }, { requiredKeys: [] });
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            piece,
            fc.jsonValue().map((value) => ({ value })),
          ),
        ),
        (pieces) => {
          expect(JSON.parse(gather(...pieces).text)).toBeObject();
        },
      ),
      runs(500),
    );
  });
});
