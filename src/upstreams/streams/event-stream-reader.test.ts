import { describe, expect, test } from "bun:test";
import { EventStreamCodec, Int64 } from "@smithy/eventstream-codec";
import * as fc from "fast-check";
import { errorFrame, eventFrame, exceptionFrame, frame, rawEventFrame } from "../../../test/dialects/converse-frames.ts";
import { runs } from "../../../test/support/long.ts";
import { EventStreamReader } from "./event-stream-reader.ts";

const FRAMES = [
  eventFrame("messageStart", { role: "assistant" }),
  eventFrame("contentBlockDelta", { delta: { text: "Grüße, 漢字 🙂" }, contentBlockIndex: 0 }),
  eventFrame("messageStop", { stopReason: "end_turn" }),
];
const EVENTS = [
  '{"messageStart":{"role":"assistant"}}',
  '{"contentBlockDelta":{"delta":{"text":"Grüße, 漢字 🙂"},"contentBlockIndex":0}}',
  '{"messageStop":{"stopReason":"end_turn"}}',
];

/** The events of these reads, and the failure that ended them. */
function read(reads: readonly Uint8Array[]): { events: string[]; failure: string | undefined } {
  const reader = new EventStreamReader();
  const events: string[] = [];
  try {
    for (const bytes of reads) for (const event of reader.feed(bytes)) events.push(event);
    for (const event of reader.end()) events.push(event);
  } catch (error) {
    return { events, failure: String((error as { detail?: string }).detail ?? error) };
  }
  return { events, failure: undefined };
}

test("reads the frames of the codec of AWS, cut in two at every byte, and byte by byte", () => {
  const all = Buffer.concat(FRAMES);
  for (let at = 0; at <= all.length; at++) {
    expect(read([all.subarray(0, at), all.subarray(at)])).toEqual({ events: EVENTS, failure: undefined });
  }
  expect(read([...all].map((byte) => Buffer.from([byte])))).toEqual({ events: EVENTS, failure: undefined });
});

test("a body that ends within a frame is cut short, after the events before it", () => {
  const all = Buffer.concat(FRAMES);
  const ends = FRAMES.map((_, at) => Buffer.concat(FRAMES.slice(0, at + 1)).length);
  for (let at = 1; at < all.length; at++) {
    const whole = ends.filter((end) => end <= at).length;
    const failure = ends.includes(at) ? undefined : "the stream ended within a frame";
    expect(read([all.subarray(0, at)])).toEqual({ events: EVENTS.slice(0, whole), failure });
  }
});

test("a flipped bit anywhere is found, and the events before it are delivered", () => {
  const all = Buffer.concat(FRAMES);
  const first = FRAMES[0]!.length;
  for (let bit = 0; bit < 8 * all.length; bit++) {
    const flipped = Buffer.from(all);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const { events, failure } = read([flipped]);
    expect({ bit, failure }).not.toEqual({ bit, failure: undefined });
    expect(events).toEqual(EVENTS.slice(0, events.length));
    if (bit >= 8 * first) expect(events.length).toBeGreaterThan(0);
  }
});

test("a flipped bit of a length is found with the prelude, before a frame of that length is buffered", () => {
  const prelude = Buffer.from(FRAMES[0]!.subarray(0, 12));
  for (let bit = 0; bit < 8 * prelude.length; bit++) {
    const flipped = Buffer.from(prelude);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    expect({ bit, ...read([flipped]) }).toEqual({ bit, events: [], failure: "a prelude with a wrong checksum" });
  }
});

test("exceptions and errors are events of their own type", () => {
  expect(read([exceptionFrame("throttlingException", { message: "slow" }), errorFrame("500", "oh")])).toEqual({
    events: ['{"throttlingException":{"message":"slow"}}', '{"error":{"code":"500","message":"oh"}}'],
    failure: undefined,
  });
});

test("headers of all ten types are skipped, as the codec writes them", () => {
  const codec = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
    (text) => Buffer.from(text, "utf8"),
  );
  const body = codec.encode({
    headers: {
      a: { type: "boolean", value: true },
      b: { type: "boolean", value: false },
      c: { type: "byte", value: 1 },
      d: { type: "short", value: 2 },
      e: { type: "integer", value: 3 },
      long: { type: "long", value: Int64.fromNumber(4) },
      f: { type: "binary", value: new Uint8Array([1, 2, 3]) },
      g: { type: "timestamp", value: new Date(0) },
      h: { type: "uuid", value: "01234567-89ab-cdef-0123-456789abcdef" },
      ":event-type": { type: "string", value: "messageStart" },
      ":message-type": { type: "string", value: "event" },
    },
    body: new Uint8Array(),
  });
  expect(read([body])).toEqual({ events: ['{"messageStart":{}}'], failure: undefined });
});

/** A frame around these headers, with valid checksums. */
function framed(headers: Uint8Array, total = headers.length + 16, headerBytes = headers.length): Buffer {
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(total, 0);
  prelude.writeUInt32BE(headerBytes, 4);
  prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
  const most = Buffer.concat([prelude, headers]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(most));
  return Buffer.concat([most, checksum]);
}

describe("refused, though the checksums fit", () => {
  test.each<[string, Buffer, RegExp]>([
    ["a frame shorter than its own parts", framed(Buffer.alloc(0), 15), /impossible length/],
    ["headers longer than the frame", framed(Buffer.alloc(4), 20, 5), /impossible length/],
    ["a frame of 4 GB whose prelude alone has arrived", framed(Buffer.alloc(0), 0xffff_ffff), /without an end/],
    ["a header longer than all of them", framed(Buffer.from([200, 97])), /malformed headers/],
    ["a header of an unknown type", framed(Buffer.from([1, 97, 10])), /malformed headers/],
    ["a text longer than the headers", framed(Buffer.from([1, 97, 7, 255, 255])), /malformed headers/],
    ["a frame without a kind", frame({}, "{}"), /unknown kind/],
    ["an event without a type", frame({ ":message-type": "event" }, "{}"), /unknown kind/],
    ["a frame of another kind", frame({ ":message-type": "x", ":event-type": "y" }, "{}"), /unknown kind/],
  ])("%s", (_name, bytes, failure) => {
    expect(read([bytes]).failure).toMatch(failure);
  });
});

test("buffers a large frame in many pieces, and counts what it holds", () => {
  const text = JSON.stringify("x".repeat(1_000_000));
  const all = rawEventFrame("contentBlockDelta", text);
  const reader = new EventStreamReader();
  for (let at = 0; at + 1000 < all.length; at += 1000) {
    expect([...reader.feed(all.subarray(at, at + 1000))]).toEqual([]);
    expect(reader.heldChars).toBe(at + 1000);
  }
  const events = [...reader.feed(all.subarray(Math.floor((all.length - 1) / 1000) * 1000))];
  expect([events[0]?.length, reader.heldChars]).toEqual([text.length + '{"contentBlockDelta":}'.length, 0]);
});

test("whatever the payloads and the cuts, the events are the codec's", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 5 }), (payloads, cuts) => {
      const all = Buffer.concat(payloads.map((payload) => eventFrame("x", payload)));
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].toSorted((one, other) => one - other);
      const reads = places.slice(1).map((end, at) => all.subarray(places[at], end));
      expect(read(reads)).toEqual({ events: payloads.map((payload) => `{"x":${JSON.stringify(payload)}}`), failure: undefined });
    }),
    runs(200),
  );
});
