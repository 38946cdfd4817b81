import { expect, test } from "bun:test";
import { array, assert as check, boolean, constantFrom, nat, property, record, string } from "fast-check";
import { EventParser } from "./event-parser.ts";

const utf8 = new TextEncoder();

function parse(chunks: readonly Uint8Array[]): { text: string; events: string[] } {
  const parser = new EventParser();
  const parsed = chunks.map((chunk) => parser.feed(chunk));
  return { text: parsed.map(({ text }) => text).join(""), events: parsed.flatMap(({ events }) => events) };
}

const eventsIn = (text: string): string[] => parse([utf8.encode(text)]).events;

test("returns the data of each event", () => {
  expect(eventsIn('data: {"a":1}\n\n: keep-alive\n\nevent: x\nid: 7\nretry: 1\ndata:b\n\ndata: [DONE]\n\n')).toEqual([
    '{"a":1}',
    "b",
    "[DONE]",
  ]);
});

test("joins data lines, and strips only the first space after the colon", () => {
  expect(eventsIn("data: one\ndata:  two\ndata\n\n")).toEqual(["one\n two\n"]);
});

test("ignores fields whose name starts with data", () => {
  expect(eventsIn("database: x\n\ndata: y\n\n")).toEqual(["y"]);
});

test("accepts LF, CR and CRLF", () => {
  expect(eventsIn("data: a\r\n\r\ndata: b\r\rdata: c\n\n")).toEqual(["a", "b", "c"]);
});

test("drops an incomplete event", () => {
  expect(eventsIn('data: a\n\ndata: {"half":')).toEqual(["a"]);
  expect(eventsIn("data: a\n\ndata: whole line\n")).toEqual(["a"]);
});

const lineEnd = constantFrom("\n", "\r", "\r\n");
const words = string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, "").replaceAll("\uFEFF", ""));
const event = record({ lines: array(words, { minLength: 1, maxLength: 3 }), comment: boolean(), end: lineEnd });

test("returns the same events for any split of the bytes", () => {
  check(
    property(array(event, { maxLength: 6 }), array(nat({ max: 400 }), { maxLength: 30 }), (events, cuts) => {
      const text = events
        .map(({ lines, comment, end }) => [...(comment ? [": note"] : []), ...lines.map((line) => `data: ${line}`), "", ""].join(end))
        .join("");
      const bytes = utf8.encode(text);
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
      const parsed = parse(chunks);
      expect(parsed.events).toEqual(events.map(({ lines }) => lines.join("\n")));
      expect(parsed.text).toBe(text);
    }),
    { numRuns: 500 },
  );
});
