import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { fromByteText, toByteText } from "../text/byte-text.ts";
import { outlineOf } from "./json-text.ts";

const LIMITS = { maxDepth: 1e9, maxValues: 1e9 };

function outlined(text: string): string {
  const outline = outlineOf(toByteText(text), LIMITS);
  if (typeof outline === "string") throw new Error(outline);
  return fromByteText(outline.text);
}

/** The result of JSON.parse for a text, or that it rejects the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return "refused";
  }
}

const RIGHT = [
  "word ",
  "ü",
  "漢",
  "🙂",
  "[{",
  "}],:",
  String.raw`\"`,
  String.raw`\n`,
  "\\\\",
  String.raw`\/`,
  String.raw`\u00e9`,
  String.raw`\ud800`,
];
const WRONG = ["\n", "\t", "\u0000", String.raw`\x`, String.raw`\u12g4`, String.raw`\u12`, '"'];

/** The inside of a string as spelled in JSON, sometimes long, and occasionally invalid. */
const spelled = fc
  .tuple(
    fc.array(fc.constantFrom(...RIGHT), { maxLength: 40 }),
    fc.option(fc.constantFrom(...WRONG), { freq: 15 }),
    fc.array(fc.constantFrom(...RIGHT), { maxLength: 40 }),
    fc.constantFrom(1, 1, 12, 40),
  )
  .map(([before, wrong, after, times]) => `"${before.join("").repeat(times)}${wrong ?? ""}${after.join("").repeat(times)}"`);

const space = fc.constantFrom("", "", " ", "\n\t");

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    spelled,
    fc.constantFrom("1", "12345678901234567890", "null", "tru"),
    fc.tuple(fc.array(tie("value"), { maxLength: 4 }), space).map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}]`),
    fc
      .tuple(fc.array(fc.tuple(spelled, tie("value")), { maxLength: 4 }), space)
      .map(([members, gap]) => `{${members.map(([key, inner]) => `${gap}${key}${gap}:${gap}${inner}`).join(",")}${gap}}`),
  ),
}));

const body = fc.tuple(value, value, space).map(([one, other, gap]) => `${gap}{"model":"m",${gap}"messages":[${one}],"más":${other}}${gap}`);

/** A body from which something was removed, or into which something was inserted. */
const damaged = fc
  .tuple(body, fc.nat(), fc.nat({ max: 2 }), fc.constantFrom("", "", '"', "\\", "{", "}", "]", ",", "\n"))
  .map(([text, at, less, more]) => text.slice(0, at % text.length) + more + text.slice((at % text.length) + less));

test("an outline is valid JSON exactly where the whole text is", () => {
  const seen = { right: 0, refused: 0, shorter: 0 };
  const property = fc.property(fc.oneof(body, damaged), (text) => {
    const outline = outlined(text.toWellFormed());
    const isRight = parsed(text.toWellFormed()) !== "refused";
    expect(parsed(outline) !== "refused").toBe(isRight);
    seen[isRight ? "right" : "refused"]++;
    if (outline.length < text.length) seen.shorter++;
  });
  fc.assert(property, runs(2000));
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});

const isLong = (inner: unknown): boolean => typeof inner === "string" && inner.length > 40;
const withoutLong = (text: string): string => JSON.stringify(JSON.parse(text, (_, inner: unknown) => (isLong(inner) ? "long" : inner)));

test("an outline equals the text, except for long strings, which are replaced by placeholders", () => {
  const property = fc.property(fc.jsonValue({ stringUnit: "grapheme" }), fc.integer({ min: 0, max: 600 }), (inner, length) => {
    const text = JSON.stringify({ user: "ü".repeat(length), messages: [{ role: "user", content: "漢\n".repeat(length), inner }] });
    expect(withoutLong(outlined(text))).toBe(withoutLong(text));
  });
  fc.assert(property, runs(500));
});

test("the top-level fields of a request are never omitted", () => {
  const text = JSON.stringify({ model: "m".repeat(1000), user: "ü".repeat(1000), messages: ["a".repeat(1000)] });
  expect(JSON.parse(outlined(text))).toMatchObject({ model: "m".repeat(1000), user: "ü".repeat(1000) });
  expect(outlined(text).length).toBeLessThan(2200);
});
