import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { Secret } from "../secret/secret.ts";
import { fromTaggedJson, toTaggedJson } from "./tagged-json.ts";

const overTheWire = (value: unknown): unknown => fromTaggedJson(JSON.parse(JSON.stringify(toTaggedJson(value))));

/** Field names that could be mistaken for tags, or that are special in JavaScript. */
const fieldNames = fc.oneof(
  fc.constantFrom("$bigint", "$$bigint", "$map", "$secret", "$undefined", "$", "$$", "__proto__", "constructor", "toJSON", ""),
  fc.string(),
);

const primitives = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("$undefined", '{"$bigint":"1"}', "\uD800"),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.double(),
  fc.bigInt(),
);

const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    primitives,
    fc.uint8Array(),
    fc.array(tie("value")),
    fc.array(fc.tuple(fieldNames, tie("value"))).map((fields) => Object.fromEntries(fields) as unknown),
    fc.array(fc.tuple(primitives, tie("value"))).map((entries) => new Map(entries)),
    fc.array(primitives).map((members) => new Set(members)),
  ),
})).value;

test("plain data returns exactly, also where its own texts and names look like tags", () => {
  const returns = fc.property(anyValue, (value) => Bun.deepEquals(overTheWire(value), value, true));
  fc.assert(returns, runs(750, 60_000));
});

test("an object that looks like a tag stays an object", () => {
  for (const name of ["$bigint", "$secret", "$$map", "$unknown"]) {
    const returned = overTheWire({ [name]: "1" }) as object;
    expect([Object.keys(returned), Object.values(returned)]).toEqual([[name], ["1"]]);
  }
});

test("fields without a value, zeros and limits of numbers are kept apart", () => {
  const returned = overTheWire({ a: undefined, b: [undefined, null], c: [-0, 0, Number.NaN, Number.POSITIVE_INFINITY] });
  expect(returned).toStrictEqual({ a: undefined, b: [undefined, null], c: [-0, 0, Number.NaN, Number.POSITIVE_INFINITY] });
});

test("a field called __proto__ stays a field", () => {
  const returned = overTheWire(JSON.parse('{"__proto__":{"isAdmin":true}}')) as { isAdmin?: boolean };
  expect([Object.keys(returned), returned.isAdmin]).toEqual([["__proto__"], undefined]);
});

test("secrets arrive as secrets, with their text", () => {
  const { credentials } = overTheWire({ credentials: [new Secret("sk-€-$secret")] }) as { credentials: Secret[] };
  expect([credentials[0] instanceof Secret, credentials[0]!.reveal(), String(credentials[0])]).toEqual([true, "sk-€-$secret", "[secret]"]);
});

test("rejects what it could not return", () => {
  for (const value of [new Date(), () => 1, Symbol("a"), [new URL("http://a.example")], /a/]) {
    expect(() => toTaggedJson(value)).toThrow(TypeError);
  }
  expect(() => fromTaggedJson({ $unknown: 1 })).toThrow("unknown tag $unknown");
});
