import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { fromByteText, toByteText, type ByteText } from "../text/byte-text.ts";
import { outlineOf } from "./json-text.ts";
import { beginsWith, isBlank, placeholderFor, restoreOmitted, spanOfOmitted, withoutPlaceholders } from "./omitted-text.ts";

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

const isLong = (inner: unknown): boolean => typeof inner === "string" && (inner.length > 40 || spanOfOmitted(inner) !== undefined);
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
  expect(outlined(text).length).toBeLessThan(2400);
});

/** What a client could write to pass for an omitted string, without the random part of this process. */
const forged = fc
  .tuple(fc.nat(5000), fc.nat(5000), fc.stringMatching(/^[a-q]{32}$/))
  .map(([start, end, random]) => placeholderFor(start, end).replace(/[a-q]{32}/, random));

/** The strings inside the lists and objects of a body, in order. */
function stringsIn(inner: unknown): string[] {
  if (typeof inner === "string") return [inner];
  return typeof inner === "object" && inner !== null ? Object.values(inner).flatMap(stringsIn) : [];
}

test("no text of a client passes for an omitted string: a placeholder stands for the string in its place", () => {
  const content = fc.array(fc.oneof(forged, fc.string({ unit: "grapheme", maxLength: 400 }), fc.constant("漢\n".repeat(300))), {
    minLength: 1,
  });
  const property = fc.property(content, (list) => {
    const written = JSON.stringify({ messages: list.map((text) => ({ role: "user", content: text })) });
    const bytes = toByteText(written);
    const { messages } = JSON.parse(outlined(written)) as { messages: unknown };
    for (const [at, shown] of stringsIn(messages).entries()) {
      const span = spanOfOmitted(shown);
      const meant = span ? (JSON.parse(`"${fromByteText(bytes.slice(span.start, span.end) as typeof bytes)}"`) as string) : shown;
      expect(meant).toBe(at % 2 === 0 ? "user" : list[(at - 1) / 2]!);
    }
  });
  fc.assert(property, runs(500));
});

test("a text for a client has no placeholder", () => {
  const reply = JSON.stringify({ message: `the type ${placeholderFor(1, 500)} is unknown, ${placeholderFor(1, 500)}` });
  expect(withoutPlaceholders(reply)).toBe('{"message":"the type … is unknown, …"}');
  expect(withoutPlaceholders(placeholderFor(1, 500).slice(0, 66))).toBe("…1-");
});

function restored(json: string, source: string): string {
  const pieces: ByteText[] = [];
  restoreOmitted(toByteText(json), toByteText(source), pieces);
  return fromByteText(pieces.join("") as ByteText);
}

test("a client that knew a placeholder could neither stall the process nor make a body much longer", () => {
  const prefix = placeholderFor(0, 0).slice(0, 64);
  for (const written of [prefix, `${prefix}x`, `${prefix}1-`, `${prefix}1-2`, `${prefix}99999999999-1\\"`, prefix.repeat(3)]) {
    expect(restored(`["${written}"]`, "x".repeat(500))).toBe(`["${written}"]`);
  }
  expect(restored(JSON.stringify([placeholderFor(400, 100), placeholderFor(0, 9_999)]), "x".repeat(500))).toBe(`["","${"x".repeat(500)}"]`);
  const repeated = JSON.stringify(Array.from({ length: 50 }, () => placeholderFor(0, 500)));
  expect(() => restored(repeated, "x".repeat(500))).toThrow("longer than its body");
});

test.each<[string, string, boolean]>([
  [" \\n\\t", " ", true],
  ["\\u0020", "\\u00a0", true],
  ["{", " ", false],
  [" ", "a", false],
])("the blank beginning %j does not hide what follows", (first, last, expected) => {
  const text = first.repeat(150) + last;
  expect(isBlank(placeholderFor(0, text.length), toByteText(text))).toBe(expected);
});

test("the beginning of an omitted string may be spelled with escapes", () => {
  for (const text of ["x-billing: 1", String.raw`\u0078-billing: 1`]) {
    expect(beginsWith(placeholderFor(0, text.length), "x-billing:", toByteText(text))).toBe(true);
    expect(beginsWith(placeholderFor(0, text.length), "billing:", toByteText(text))).toBe(false);
  }
});
