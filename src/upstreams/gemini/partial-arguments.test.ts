import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/long.ts";
import { GatheredArguments } from "./partial-arguments.ts";

function gather(...pieces: object[]): { text: string; isTorn: boolean } {
  const args = new GatheredArguments();
  args.add({ partialArgs: pieces });
  return { text: args.toText(), isTorn: args.isTorn };
}

test("values come by their paths, and text in as many pieces as it takes", () => {
  const { text, isTorn } = gather(
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
  expect(isTorn).toBe(false);
});

test("whole values and pieces come to one object", () => {
  const args = new GatheredArguments();
  args.add({ args: { a: 1 } });
  args.add({ partialArgs: [{ jsonPath: "$.b", numberValue: 2 }] });
  args.add({});
  expect(args.toText()).toBe('{"a":1,"b":2}');
});

describe("a piece that does not fit is known, and does no harm", () => {
  const TORN: object[][] = [
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
  test.each(TORN)("%j", (...pieces) => expect(gather(...pieces)).toMatchObject({ isTorn: true }));

  test("deeper than anything can be written", () => {
    expect(gather({ jsonPath: `$${".a".repeat(500_000)}`, numberValue: 1 })).toEqual({ text: "{}", isTorn: true });
  });

  test("on its way to a prototype", () => {
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
