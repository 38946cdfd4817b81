import { chunk, GOOD_CHUNKS, usageChunk } from "../../support/upstreams/mock-upstream.ts";
import { EVENTS_HEAD } from "../../streams/raw-upstream.ts";
import { MAX_ELEMENTS, named } from "../sizes.ts";
import {
  answered,
  answeredUncounted,
  broken,
  FAILED,
  openaiCases,
  SANE,
  type HostileCase,
  type Outcome,
  type Play,
} from "../hostile-case.ts";
import { data, EVENTS_TYPE, FIRST_EVENTS, GOOD_EVENTS, inParts, replies, streams, writes } from "../on-the-wire.ts";

const [ROLE, HELLO, WORLD, STOP, COUNTS] = GOOD_CHUNKS as [string, string, string, string, string];
const DONE = "[DONE]";
const WORDS = data(ROLE, HELLO, WORLD);

const raw = (body: string | Uint8Array): Play => replies("200 OK", [EVENTS_TYPE], body);
const mixed = (...ends: readonly string[]): string => {
  let at = 0;
  return GOOD_EVENTS.replaceAll("\n", () => ends[at++ % ends.length]!);
};

/** Streams by their anomaly. */
const table: Record<string, readonly [play: Play, stream: Outcome]> = {
  "[DONE] first": [streams(data(DONE), GOOD_EVENTS), FAILED],
  "[DONE] and nothing else": [streams(data(DONE)), FAILED],
  "[DONE] twice": [streams(GOOD_EVENTS, data(DONE)), answered()],
  "[DONE] 100,000 times": [streams(GOOD_EVENTS, data(DONE).repeat(100_000)), answered()],
  "[DONE] never": [streams(data(...GOOD_CHUNKS)), answered()],
  "[DONE] before its finish reason": [streams(WORDS, data(DONE, STOP)), broken("Hello world")],
  "[DONE] inside of its words": [streams(data(ROLE, chunk({ content: DONE })), data(STOP, DONE)), answeredUncounted(DONE)],
  "[done] in small letters": [streams(WORDS, data(STOP, "[done]")), broken("Hello world")],
  "[DONE] in quotes": [streams(WORDS, data(STOP, '"[DONE]"')), broken("Hello world")],
  "an answer behind [DONE]": [streams(GOOD_EVENTS, data(chunk({ content: "Evil!" }))), answered()],
  "an error behind [DONE]": [streams(GOOD_EVENTS, data('{"error":{"message":"canary"}}')), answered()],
  "an end without a finish reason": [streams(WORDS), broken("Hello world")],
  "a finish reason at once": [streams(data(STOP, DONE)), SANE],
  "two finish reasons": [streams(WORDS, data(STOP, chunk({}, "length"), COUNTS, DONE)), SANE],
  "words behind its finish reason": [streams(data(ROLE, HELLO, STOP, WORLD, COUNTS, DONE)), SANE],
  "an error behind its finish reason": [streams(WORDS, data(STOP, '{"error":{"message":"late"}}')), broken("Hello world")],
  "its counts first": [streams(data(COUNTS, ROLE, HELLO, WORLD, STOP, DONE)), SANE],
  "its counts twice": [streams(WORDS, data(STOP, COUNTS, COUNTS, DONE)), answered()],
  "its counts, and more words": [streams(data(ROLE, HELLO, COUNTS, WORLD, STOP, DONE)), SANE],
  "its counts alone": [streams(data(COUNTS, DONE)), FAILED],
  "a mark in front": [raw(`\ufeff${GOOD_EVENTS}`), answered()],
  "UTF-16": [raw(Buffer.from(GOOD_EVENTS, "utf16le")), FAILED],
  "NUL bytes between events": [raw(GOOD_EVENTS.replaceAll("\n\n", "\n\n\0\n")), answered()],
  "bytes that are not UTF-8 between events": [raw(Buffer.from(GOOD_EVENTS.replaceAll("\n\n", "\n\n\u00ff\u00fe\n"), "latin1")), answered()],
  "bytes that are not UTF-8 in its words": [raw(Buffer.from(GOOD_EVENTS.replace("Hello", "H\u00ff\u00c3"), "latin1")), SANE],
  "CR line ends": [raw(mixed("\r")), answered()],
  "CR, LF and CRLF in turn": [raw(mixed("\r\n", "\n", "\n", "\r\n", "\r", "\r", "\n", "\r\n")), SANE],
  "LF CR line ends": [raw(mixed("\n\r")), SANE],
  "a byte in each part": [writes(EVENTS_HEAD, ...inParts(GOOD_EVENTS), "0\r\n\r\n"), answered()],
  "events with ids, names and hints": [raw(GOOD_EVENTS.replaceAll("data: ", "id: 1\nevent: message\nretry: 1\ndata: ")), answered()],
  "the event name error": [raw(`${FIRST_EVENTS}event: error\n${data('{"error":{"message":"no"}}')}`), broken("Hello")],
  "only ids": [raw("id: 1\n\n".repeat(1000)), FAILED],
  "only retry hints": [raw("retry: 99999999999\n\n".repeat(1000)), FAILED],
  "only event names": [raw("event: message\n\n".repeat(1000)), FAILED],
  "only comments": [raw(": hi\n\n".repeat(1000)), FAILED],
  "only line ends": [raw("\n".repeat(100_000)), FAILED],
  "lines without a colon": [raw(`data\nnonsense\n\n${GOOD_EVENTS}`), answered()],
  "fields nobody knows": [raw(`evil: {"error":1}\nDATA: x\n data: x\n\n${GOOD_EVENTS}`), answered()],
  [`${named(MAX_ELEMENTS)} comment lines`]: [raw(": x\n".repeat(MAX_ELEMENTS) + GOOD_EVENTS), answered()],
  [`${named(MAX_ELEMENTS)} events of nothing`]: [raw("data:\n\n".repeat(MAX_ELEMENTS) + GOOD_EVENTS), answered()],
  [`${named(MAX_ELEMENTS)} data lines of nothing in one event`]: [raw(`${"data:\n".repeat(MAX_ELEMENTS)}\n${GOOD_EVENTS}`), SANE],
  "a comment of 3 MB": [raw(`: ${"x".repeat(3_000_000)}\n\n${GOOD_EVENTS}`), answered()],
  "an event of 3 MB": [raw(data(ROLE, chunk({ content: "x".repeat(3_000_000) }), STOP, DONE)), answeredUncounted("x".repeat(3_000_000))],
  "an event of 5 MB": [raw(data(ROLE, HELLO, chunk({ content: "x".repeat(5_000_000) }), STOP, DONE)), broken("Hello")],
  "20,000 words": [
    raw(data(ROLE, ...Array.from({ length: 20_000 }, () => HELLO), STOP, usageChunk(), DONE)),
    answeredUncounted("Hello".repeat(20_000)),
  ],
  "20,000 choices, each in its chunk": [
    raw(data(...Array.from({ length: 20_000 }, (_, index) => chunk({ content: "x" }).replace('"index":0', `"index":${index}`)))),
    SANE,
  ],
  "2,000 tool calls, each in its chunk": [
    raw(
      data(
        ROLE,
        ...Array.from({ length: 2_000 }, (_, index) =>
          chunk({ tool_calls: [{ index, id: `c${index}`, type: "function", function: { name: "f", arguments: "{}" } }] }),
        ),
        chunk({}, "tool_calls"),
        DONE,
      ),
    ),
    SANE,
  ],
  "100,000 choices in a chunk": [
    raw(
      data(
        ROLE.replace(/"choices":\[(.*)\],"usage"/, (_, choice: string) => `"choices":[${`${choice},`.repeat(99_999)}${choice}],"usage"`),
        STOP,
        DONE,
      ),
    ),
    SANE,
  ],
  "100,000 tool calls in a chunk": [raw(data(chunk({ tool_calls: Array.from({ length: 100_000 }, () => ({})) }), STOP, DONE)), SANE],
  "control characters in the model's name": [
    raw(data(...GOOD_CHUNKS, DONE).replaceAll("up-model", String.raw`\u0000\n\r\u001b[2J`)),
    answered(),
  ],
  "a chunk that says nothing at all": [streams(data("{}"), GOOD_EVENTS), answered()],
  "10,000 chunks that say nothing at all": [streams(data("{}").repeat(10_000), GOOD_EVENTS), answered()],
};

export const eventCases = openaiCases(
  Object.fromEntries(
    Object.entries(table).map(([name, [play, stream]]): [string, Omit<HostileCase, "name" | "dialect">] => [
      `a stream with ${name}`,
      { play, stream },
    ]),
  ),
);
