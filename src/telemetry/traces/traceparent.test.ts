import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { formatTraceparent, parseTraceparent, parseTracestate } from "./traceparent.ts";

const TRACE = "12345678901234567890123456789012";
const SPAN = "1234567890123456";
const GOOD = `00-${TRACE}-${SPAN}-01`;

/** The cases of the W3C conformance suite (w3c/trace-context, test/test.py), and a few more. */
describe("a traceparent is ignored that", () => {
  const cases: Record<string, string | null> = {
    "is not there": null,
    "is empty": "",
    "has a dot behind it": `${GOOD}.`,
    "has more fields than version 00 has": `${GOOD}-what-the-future-will-be-like`,
    "has a dash behind it": `${GOOD}-`,
    "is of the version ff": `ff-${TRACE}-${SPAN}-01`,
    "has a dot first in its version": `.0-${TRACE}-${SPAN}-01`,
    "has a dot last in its version": `0.-${TRACE}-${SPAN}-01`,
    "has a version of three digits": `000-${TRACE}-${SPAN}-01`,
    "has a version of four digits": `0000-${TRACE}-${SPAN}-01`,
    "has a version of one digit": `0-${TRACE}-${SPAN}-01`,
    "has a version in upper case": `CC-${TRACE}-${SPAN}-01`,
    "has no other fields": "00",
    "has a trace id of zeros": `00-${"0".repeat(32)}-${SPAN}-01`,
    "has a dot first in its trace id": `00-.${TRACE.slice(1)}-${SPAN}-01`,
    "has a dot last in its trace id": `00-${TRACE.slice(1)}.-${SPAN}-01`,
    "has a trace id in upper case": `00-${"ABCDEF".padEnd(32, "1")}-${SPAN}-01`,
    "has a long trace id": `00-${TRACE}3-${SPAN}-01`,
    "has a short trace id": `00-${TRACE.slice(1)}-${SPAN}-01`,
    "has a parent of zeros": `00-${TRACE}-${"0".repeat(16)}-01`,
    "has a dot first in its parent": `00-${TRACE}-.${SPAN.slice(1)}-01`,
    "has a dot last in its parent": `00-${TRACE}-${SPAN.slice(1)}.-01`,
    "has a long parent": `00-${TRACE}-${SPAN}7-01`,
    "has a short parent": `00-${TRACE}-${SPAN.slice(1)}-01`,
    "has a dot first in its flags": `00-${TRACE}-${SPAN}-.0`,
    "has a dot last in its flags": `00-${TRACE}-${SPAN}-0.`,
    "has flags of three digits": `00-${TRACE}-${SPAN}-001`,
    "has flags of one digit": `00-${TRACE}-${SPAN}-1`,
    "is of a later version, and goes on without a dash": `cc-${TRACE}-${SPAN}-01.what-the-future-will-be-like`,
  };
  for (const [name, text] of Object.entries(cases)) test(name, () => expect(parseTraceparent(text)).toBeUndefined());

  test("is in two headers", () => {
    const headers = new Headers();
    headers.append("traceparent", GOOD);
    headers.append("traceparent", GOOD);
    expect(parseTraceparent(headers.get("traceparent"))).toBeUndefined();
  });
});

describe("a traceparent is accepted that", () => {
  const taken = { traceId: TRACE, spanId: SPAN, isSampled: true, isRandom: false };
  const cases: Record<string, [string, object]> = {
    "is sampled": [GOOD, taken],
    "is not": [`00-${TRACE}-${SPAN}-00`, { ...taken, isSampled: false }],
    "says that its id is random": [`00-${TRACE}-${SPAN}-03`, { ...taken, isRandom: true }],
    "has flags that nobody knows": [`00-${TRACE}-${SPAN}-fd`, taken],
    "is of a later version": [`cc-${TRACE}-${SPAN}-01`, taken],
    "is of a later version with more fields": [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, taken],
    "is of the version fe": [`fe-${TRACE}-${SPAN}-01`, taken],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) test(name, () => expect(parseTraceparent(text)).toEqual(expected as never));

  test("has whitespace around it, with any case of the header name", () => {
    for (const text of [` ${GOOD}`, `\t${GOOD}`, `${GOOD} `, `${GOOD}\t`, `\t ${GOOD} \t`]) {
      expect(parseTraceparent(new Headers({ TrAcEpArEnT: text }).get("traceparent"))).toEqual(taken);
    }
  });
});

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.bigInt({ min: 1n, max: 16n ** BigInt(digits) - 1n }).map((id) => id.toString(16).padStart(digits, "0"));

test("a written traceparent is parsed to the same value", () => {
  const parent = fc.record({ traceId: hex(32), spanId: hex(16), isSampled: fc.boolean(), isRandom: fc.boolean() });
  fc.assert(fc.property(parent, (given) => expect(parseTraceparent(formatTraceparent(given))).toEqual(given)));
});

const members = (count: number): string => Array.from({ length: count }, (_, at) => `bar${at}=${at}`).join(",");
const KEY = `abcdefghijklmnopqrstuvwxyz0123456789_-*/`;
const VALUE = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at))
  .join("")
  .replaceAll(/[,=]/g, "");

describe("a tracestate is passed on that", () => {
  const cases: Record<string, [string, string]> = {
    "has two members": ["foo=1,bar=2", "foo=1,bar=2"],
    "has blanks between them": ["foo=1 \t , \t bar=2, \t baz=3", "foo=1,bar=2,baz=3"],
    "has tabs around it": ["\t foo=1 \t", "foo=1"],
    "has empty members": [",foo=1,,bar=2, ", "foo=1,bar=2"],
    "has 32 members": [members(32), members(32)],
    "has every character there is": [`${KEY}=${VALUE}`, `${KEY}=${VALUE}`],
    "has every character in a tenant's key": [`${KEY}@a-z0-9_-*/=${VALUE}`, `${KEY}@a-z0-9_-*/=${VALUE}`],
    "has a long key": [`foo=1,${"z".repeat(256)}=1`, `foo=1,${"z".repeat(256)}=1`],
    "has a long tenant": [`foo=1,${"t".repeat(241)}@${"v".repeat(14)}=1`, `foo=1,${"t".repeat(241)}@${"v".repeat(14)}=1`],
    "is too long: long members go first": [
      `a=${"x".repeat(200)},b=1,c=${"y".repeat(250)},d=${"z".repeat(100)}`,
      `b=1,d=${"z".repeat(100)}`,
    ],
    "is too long: then the last ones": [
      ["a", "b", "c", "d", "e", "f"].map((key) => `${key}=${"x".repeat(98)}`).join(","),
      ["a", "b", "c", "d", "e"].map((key) => `${key}=${"x".repeat(98)}`).join(","),
    ],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) test(name, () => expect(parseTracestate(text)).toBe(expected));

  test("is in several headers", () => {
    const headers = new Headers();
    for (const part of ["foo=1,bar=2", "", "rojo=1"]) headers.append("tracestate", part);
    expect(parseTracestate(headers.get("tracestate"))).toBe("foo=1,bar=2,rojo=1");
  });
});

describe("a tracestate is dropped that", () => {
  const cases: Record<string, string | null> = {
    "is not there": null,
    "is empty": "",
    "has a key twice": "foo=1,foo=2",
    "has 33 members": members(33),
    "has a blank in a key": "foo =1",
    "has a key in upper case": "FOO=1",
    "has a dot in a key": "foo.bar=1",
    "has nothing behind the @": "foo@=1,bar=2",
    "has nothing before the @": "@foo=1,bar=2",
    "has two @": "foo@@bar=1,bar=2",
    "has a key in three parts": "foo@bar@baz=1,bar=2",
    "has too long a key": `foo=1,${"z".repeat(257)}=1`,
    "has too long a tenant": `foo=1,${"t".repeat(242)}@v=1`,
    "has too long a vendor": `foo=1,t@${"v".repeat(15)}=1`,
    "has an = in a value": "foo=bar=baz",
    "has no value": "foo=,bar=3",
    "has no =": "foo",
    "has a line break": "foo=1\r\nx-other: 1",
    "has another alphabet": "foo=ä",
  };
  for (const [name, text] of Object.entries(cases)) test(name, () => expect(parseTracestate(text)).toBeUndefined());
});
