import { answered, both, broken, FAILED, openaiCases, SANE, type HostileCase } from "../hostile-case.ts";
import {
  answersFramed,
  answersWith,
  FIRST_EVENTS,
  goodBody,
  inParts,
  LAST_PART,
  writes,
  writesAndCloses,
  GOOD_JSON,
  EVENTS_TYPE,
  JSON_TYPE,
} from "../on-the-wire.ts";
import { bodyPart, EVENTS_HEAD, reset } from "../../streams/raw-upstream.ts";

type Case = Omit<HostileCase, "name" | "dialect">;

const CHUNKED = "transfer-encoding: chunked";
const chunked = (body: (text: string) => string, isClosed = false): Case["play"] => answersFramed([CHUNKED], body, isClosed);

/** The response and a second response after it, both with this header. */
const twice =
  (header: string): Case["play"] =>
  (socket, request) => {
    const body = goodBody(request);
    const evil = body.replaceAll("Hello", "Evil!");
    for (const text of [body, evil]) socket.write(`HTTP/1.1 200 OK\r\n${header}content-length: ${text.length}\r\n\r\n${text}`);
  };
const sizeOf = (text: string): string => text.length.toString(16);
const whole = (text: string): string => bodyPart(text) + LAST_PART;

/** Invalid lengths. The valid body follows each of them, and then the connection is closed. */
const BAD_LENGTHS = ["-2", "+5", "0x10", "five", "5.5", "1e3", "99999999999999999999", "18446744073709551615", "5 5", "5, 6", ""];

/** Invalid chunk sizes. */
const BAD_SIZES = ["zz", "-5", "0x5", "fffffffffffffffff", "", "g5", "5,5", "ffffffff"];

/** Unsolicited transfer codings over a chunked body. */
const CODINGS = ["gzip, chunked", "chunked, chunked", "chunked, gzip", "xchunked", "identity", "chunked;q=1", "\tchunked"];

const lengthCases = BAD_LENGTHS.map((length): [string, Case] => [
  `the length ${JSON.stringify(length)}`,
  { play: answersFramed([`content-length: ${length}`], (text) => text, true), ...both(SANE) },
]);

const sizeCases = BAD_SIZES.map((size): [string, Case] => [
  `a part of the size ${JSON.stringify(size)}`,
  { play: chunked((text) => `${size}\r\n${text}\r\n${LAST_PART}`, true), ...both(FAILED) },
]);

const codingCases = CODINGS.map((coding): [string, Case] => [
  `the transfer coding ${JSON.stringify(coding)}`,
  { play: answersFramed([`transfer-encoding: ${coding}`], whole, true), ...both(SANE) },
]);

const CUT_JSON = bodyPart(GOOD_JSON.slice(0, 100));
const JSON_HEAD = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\n${CHUNKED}\r\n\r\n`;

/** Writes a part of a response, and ends the connection. */
const cut = (end: "closes" | "resets"): Case => ({
  async play(socket, { stream }) {
    socket.write(stream ? EVENTS_HEAD + bodyPart(FIRST_EVENTS) : JSON_HEAD + CUT_JSON);
    await Bun.sleep(100);
    if (end === "closes") socket.end();
    else reset(socket);
  },
  json: FAILED,
  stream: broken("Hello"),
});

export const framingCases = openaiCases({
  ...Object.fromEntries([...lengthCases, ...sizeCases, ...codingCases]),
  "two lengths that differ": {
    play: (socket, request) => {
      const body = goodBody(request);
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\ncontent-length: 5\r\n\r\n${body}`);
    },
    ...both(FAILED),
  },
  "two lengths that are the same": {
    play: (socket, request) => answersWith(`content-length: ${goodBody(request).length}`)(socket, request),
    ...both(SANE),
  },
  "a length that is too short": { play: answersFramed(["content-length: 100"], (text) => text), ...both(FAILED) },
  "a length of nothing before its answer": { play: answersFramed(["content-length: 0"], (text) => text), ...both(FAILED) },
  "a length that is too long, and closes": {
    play: answersFramed(["content-length: 100000"], (text) => text, true),
    json: FAILED,
    stream: SANE,
  },
  "a length beside parts": { play: answersFramed([CHUNKED, "content-length: 5"], whole), ...both(answered()) },
  "a length beside parts, the other way round": { play: answersFramed(["content-length: 5", CHUNKED], whole), ...both(answered()) },
  "a part without the line end behind it": { play: chunked((text) => `${sizeOf(text)}\r\n${text}${LAST_PART}`, true), ...both(SANE) },
  "a part that is longer than it says": { play: chunked((text) => `5\r\n${text}\r\n${LAST_PART}`, true), ...both(FAILED) },
  "a part that is shorter than it says": {
    play: chunked((text) => `${(text.length + 9).toString(16)}\r\n${text}`, true),
    json: FAILED,
    stream: SANE,
  },
  "sizes with LF behind them": { play: chunked((text) => `${sizeOf(text)}\n${text}\n0\n\n`, true), ...both(SANE) },
  "sizes with zeros in front": { play: chunked((text) => `0000${sizeOf(text)}\r\n${text}\r\n${LAST_PART}`), ...both(answered()) },
  "sizes in capitals": { play: chunked((text) => `${sizeOf(text).toUpperCase()}\r\n${text}\r\n${LAST_PART}`), ...both(answered()) },
  "an extension of 1 MB on a part": {
    play: chunked((text) => `${sizeOf(text)};${"x".repeat(1_000_000)}\r\n${text}\r\n${LAST_PART}`, true),
    ...both(SANE),
  },
  "parts of one byte": { play: chunked((text) => inParts(text).join("") + LAST_PART), ...both(answered()) },
  trailers: { play: chunked((text) => `${bodyPart(text)}0\r\nx-canary: 1\r\nset-cookie: canary\r\n\r\n`), ...both(answered()) },
  "100,000 trailers": { play: chunked((text) => `${bodyPart(text)}0\r\n${"x-a: 1\r\n".repeat(100_000)}\r\n`, true), ...both(SANE) },
  "no last part, and closes": { play: chunked(bodyPart, true), json: FAILED, stream: SANE },
  "an unsolicited second response": { play: twice("connection: close\r\n"), ...both(answered()) },
  // The gateway may send the next request on the connection before the second response arrives. That request then fails with an error.
  "a second answer on a connection that is kept": { play: twice(""), ...both(SANE) },
  "noise behind its answer": {
    play: (socket, request) =>
      void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${goodBody(request).length}\r\n\r\n${goodBody(request)}${"\0".repeat(10_000)}`),
    ...both(answered()),
  },
  "part of its answer, and closes": cut("closes"),
  "part of its answer, and resets": cut("resets"),
  "a head and closes": { play: writesAndCloses(`HTTP/1.1 200 OK\r\n${EVENTS_TYPE}\r\n${CHUNKED}\r\n\r\n`), ...both(FAILED) },
  "nothing and closes": { play: (socket) => void socket.end(), ...both(FAILED) },
  "nothing and resets": { play: reset, ...both(FAILED) },
  "half a head and resets": {
    play: (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-", () => setTimeout(reset, 50, socket)),
    ...both(FAILED),
  },
  "a last part at once": { play: writes(`HTTP/1.1 200 OK\r\n${CHUNKED}\r\n\r\n${LAST_PART}`), ...both(FAILED) },
});
