import { chunk } from "../../support/upstreams/mock-upstream.ts";
import { bodyPart, EVENTS_HEAD } from "../../streams/raw-upstream.ts";
import { answered, both, broken, FAILED, openaiCases, type HostileCase } from "../hostile-case.ts";
import { data, FIRST_EVENTS, flood, floods, GOOD_EVENTS, GOOD_JSON, JSON_TYPE, LAST_PART, MB } from "../on-the-wire.ts";

const SIZE = 100 * MB;
const CHUNKED = "transfer-encoding: chunked";
const PIECE = "x".repeat(256 * 1024);
const PART = bodyPart(PIECE);
const HEAD = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\n`;
/** The start of a response whose text does not end. */
const OPEN_TEXT = GOOD_JSON.slice(0, GOOD_JSON.indexOf("Hello"));
const DEEP = "[".repeat(256 * 1024);

const table: Record<string, Omit<HostileCase, "name" | "dialect" | "isHuge">> = {
  "an announced JSON answer of 100 MB": { play: floods(`${HEAD}content-length: ${SIZE}\r\n\r\n${OPEN_TEXT}`, PIECE, SIZE), json: FAILED },
  "a JSON answer of 100 MB in parts": { play: floods(`${HEAD}${CHUNKED}\r\n\r\n${bodyPart(OPEN_TEXT)}`, PART, SIZE), json: FAILED },
  "a JSON answer without end": { play: floods(`${HEAD}${CHUNKED}\r\n\r\n${bodyPart(OPEN_TEXT)}`, PART), json: FAILED },
  "a JSON answer without end that says it has 5 bytes": {
    play: floods(`${HEAD}content-length: 5\r\n${CHUNKED}\r\n\r\n${bodyPart(OPEN_TEXT)}`, PART),
    json: FAILED,
  },
  "a JSON answer without end or length": { play: floods(`${HEAD}\r\n${OPEN_TEXT}`, PIECE), json: FAILED },
  "spaces without end": { play: floods(`${HEAD}${CHUNKED}\r\n\r\n`, bodyPart(" ".repeat(256 * 1024))), json: FAILED },
  "brackets without end": { play: floods(`${HEAD}${CHUNKED}\r\n\r\n`, bodyPart(DEEP)), json: FAILED },
  "an event of 100 MB": { play: floods(`${EVENTS_HEAD}${bodyPart("data: ")}`, PART, SIZE), stream: FAILED },
  "an event of 100 MB behind its words": {
    play: floods(`${EVENTS_HEAD}${bodyPart(`${FIRST_EVENTS}data: `)}`, PART, SIZE),
    stream: broken("Hello"),
  },
  "an event of 100 MB in lines": { play: floods(EVENTS_HEAD, bodyPart(`data: ${PIECE}\n`), SIZE), stream: FAILED },
  "an event of 100 MB in short lines": { play: floods(EVENTS_HEAD, bodyPart("data: x\n".repeat(8 * 1024)), SIZE), stream: FAILED },
  "an event of 100 MB in lines of nothing": { play: floods(EVENTS_HEAD, bodyPart("data:\n".repeat(8 * 1024)), SIZE), stream: FAILED },
  "a comment of 100 MB": { play: floods(`${EVENTS_HEAD}${bodyPart(":")}`, PART, SIZE), stream: FAILED },
  "an event name of 100 MB": { play: floods(`${EVENTS_HEAD}${bodyPart("event: ")}`, PART, SIZE), stream: FAILED },
  "100 MB of comments": {
    async play(socket) {
      socket.write(EVENTS_HEAD);
      await flood(socket, bodyPart(": x\n".repeat(64 * 1024)), SIZE);
      socket.write(bodyPart(GOOD_EVENTS) + LAST_PART);
    },
    stream: answered(),
  },
  "10 MB of chunks that say nothing": {
    async play(socket) {
      socket.write(EVENTS_HEAD);
      await flood(socket, bodyPart(data(chunk({ role: "assistant", content: "" })).repeat(300)), SIZE / 10);
      socket.write(bodyPart(GOOD_EVENTS) + LAST_PART);
    },
    stream: answered(),
  },
  "a refusal of 100 MB": { play: floods(`HTTP/1.1 500 Oh\r\n${CHUNKED}\r\n\r\n`, PART, SIZE), ...both(FAILED) },
  "a refusal without end": { play: floods(`HTTP/1.1 500 Oh\r\n${CHUNKED}\r\n\r\n`, PART), ...both(FAILED) },
  "an answer without end behind [DONE]": { play: floods(`${EVENTS_HEAD}${bodyPart(GOOD_EVENTS)}`, PART), stream: answered() },
};

/** Oversized responses. None may be buffered completely, and each is rejected while it is received. */
export const hugeCases = openaiCases(Object.fromEntries(Object.entries(table).map(([name, rest]) => [name, { ...rest, isHuge: true }])));
