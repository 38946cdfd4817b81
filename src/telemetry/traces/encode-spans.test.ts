import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { decodeExport, plainValue, type DecodedSpan } from "../../../test/traces/official-proto.ts";
import { encodeExport, encodeSpan } from "./encode-spans.ts";
import type { AttributeValue, Span } from "./span.ts";

const SOURCE = { resource: { "service.name": "tollgate" }, scope: { name: "tollgate", version: "1" } };

const text = fc.string({ unit: "binary", maxLength: 300 });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const value: fc.Arbitrary<AttributeValue> = fc.oneof(text, int64, fc.double(), fc.boolean(), fc.array(text, { maxLength: 5 }));
const hex = (digits: number): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
    .map((all) => all.map((each) => each.toString(16)).join(""));
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

const span: fc.Arbitrary<Span> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parentId: fc.option(hex(16), { nil: undefined }),
  hasRemoteParent: fc.boolean(),
  state: fc.option(text, { nil: undefined }),
  name: text,
  kind: fc.constantFrom("server", "client"),
  startNanos: nanos,
  endNanos: nanos,
  attributes: fc.array(fc.tuple(text, fc.option(value, { nil: undefined })), { maxLength: 12 }),
  isError: fc.boolean(),
});

const utf8 = (given: string): string => given.toWellFormed();

/** The value after it was encoded to UTF-8 and decoded. */
function wellFormed(given: AttributeValue): AttributeValue {
  if (typeof given === "string") return utf8(given);
  return typeof given === "object" ? given.map(utf8) : given;
}

test("the official decoder returns the encoded spans, for any values", () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 6 }), (spans) => {
      const { resource, scopeSpans } = decodeExport(encodeExport(spans.map(encodeSpan), SOURCE)).resourceSpans[0]!;
      expect(resource.attributes).toEqual([{ key: "service.name", value: { stringValue: "tollgate" } }]);
      const { scope, spans: decoded = [] } = scopeSpans[0]!;
      expect(scope).toEqual(SOURCE.scope);
      expect(decoded.length).toBe(spans.length);
      for (const [at, written] of spans.entries()) expectSame(decoded[at]!, written);
    }),
  );
});

function expectSame(decoded: DecodedSpan, written: Span): void {
  expect(Buffer.from(decoded.traceId).toString("hex")).toBe(written.traceId);
  expect(Buffer.from(decoded.spanId).toString("hex")).toBe(written.spanId);
  expect(decoded.parentSpanId && Buffer.from(decoded.parentSpanId).toString("hex")).toBe(written.parentId);
  expect(decoded.traceState).toBe(written.state === undefined ? undefined : utf8(written.state));
  expect(decoded.name).toBe(utf8(written.name));
  expect(decoded.kind).toBe(written.kind === "server" ? "SPAN_KIND_SERVER" : "SPAN_KIND_CLIENT");
  expect(BigInt(decoded.startTimeUnixNano)).toBe(written.startNanos);
  expect(BigInt(decoded.endTimeUnixNano)).toBe(written.endNanos);
  expect(decoded.status?.code).toBe(written.isError ? "STATUS_CODE_ERROR" : undefined);
  expect(decoded.flags).toBe(written.hasRemoteParent ? 0x301 : 0x101);
  const expected = written.attributes.flatMap(([key, each]) => (each === undefined ? [] : [[utf8(key), wellFormed(each)]]));
  expect((decoded.attributes ?? []).map((each) => [each.key, plainValue(each.value)])).toEqual(expected);
}

const fixed: Span = {
  traceId: "12345678901234567890123456789012",
  spanId: "1234567890123456",
  parentId: undefined,
  hasRemoteParent: false,
  state: undefined,
  name: "",
  kind: "client",
  startNanos: 1n,
  endNanos: 2n,
  attributes: [],
  isError: false,
};

test("a message that fills the buffer exactly, or outgrows it, is complete", () => {
  for (let length = 16_100; length < 16_400; length++) {
    const written = {
      ...fixed,
      name: "n".repeat(length),
      attributes: [
        ["a", true],
        ["b", "c"],
      ] as const,
    };
    const { spans } = decodeExport(encodeExport([encodeSpan(written)], SOURCE)).resourceSpans[0]!.scopeSpans[0]!;
    expectSame(spans![0]!, written);
  }
});

test("a span that fails to encode leaves no bytes in the next one", () => {
  const broken = { ...fixed, attributes: [["a", null as never]] as const };
  expect(() => encodeSpan(broken)).toThrow();
  const { spans } = decodeExport(encodeExport([encodeSpan(fixed)], SOURCE)).resourceSpans[0]!.scopeSpans[0]!;
  expect(spans!.length).toBe(1);
  expectSame(spans![0]!, fixed);
});
