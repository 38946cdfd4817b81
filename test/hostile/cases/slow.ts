import { chunk, GOOD_CHUNKS } from "../../support/upstreams/mock-upstream.ts";
import { bodyPart, EVENTS_HEAD } from "../../streams/raw-upstream.ts";
import { both, broken, BUSY, FAILED, openaiCases, TOO_SLOW, type HostileCase } from "../hostile-case.ts";
import { data, drips, endlessly, FIRST_EVENTS, GOOD_JSON, inParts, JSON_TYPE, writes } from "../on-the-wire.ts";

const JSON_HEAD = `HTTP/1.1 200 OK\r\n${JSON_TYPE}\r\ntransfer-encoding: chunked\r\n\r\n`;
const DRIP_MS = 250;
const BROKEN = broken("Hello", "upstream_timeout");
const ROLE_AND_WORD = EVENTS_HEAD + bodyPart(FIRST_EVENTS);
/** The complete stream except for its end. */
const FINISHED = EVENTS_HEAD + bodyPart(data(...GOOD_CHUNKS.slice(0, 4)));

const table: Record<string, Omit<HostileCase, "name" | "dialect" | "isSlow">> = {
  nothing: { play: () => undefined, ...both(TOO_SLOW) },
  "half a status line, and no more": { play: writes("HTTP/1.1 20"), ...both(TOO_SLOW) },
  "a status line, and no more": { play: writes("HTTP/1.1 200 OK\r\n"), ...both(TOO_SLOW) },
  "half a header, and no more": { play: writes("HTTP/1.1 200 OK\r\ncontent-ty"), ...both(TOO_SLOW) },
  "a head, and no more": { play: writes(JSON_HEAD), ...both(TOO_SLOW) },
  "a head of announced length, and no more": { play: writes("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"), ...both(TOO_SLOW) },
  "half a JSON answer, and no more": { play: writes(JSON_HEAD, bodyPart(GOOD_JSON.slice(0, 60))), json: TOO_SLOW },
  "half an announced JSON answer, and no more": {
    play: writes(`HTTP/1.1 200 OK\r\ncontent-length: ${GOOD_JSON.length}\r\n\r\n${GOOD_JSON.slice(0, 60)}`),
    json: TOO_SLOW,
  },
  "half a size of a part, and no more": { play: writes(`${EVENTS_HEAD}1`), ...both(TOO_SLOW) },
  "half an event, and no more": { play: writes(EVENTS_HEAD, bodyPart('data: {"id":"x",')), stream: TOO_SLOW },
  "half of its second event, and no more": { play: writes(ROLE_AND_WORD, bodyPart('data: {"id":"x",')), stream: BROKEN },
  "two words, and no more": { play: writes(ROLE_AND_WORD), stream: BROKEN },
  "a finish reason, and no end": { play: writes(FINISHED), stream: broken("Hello world", "upstream_timeout") },
  "its head a byte at a time": { play: drips("", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", DRIP_MS), ...both(TOO_SLOW) },
  "its JSON a byte at a time": { play: drips(JSON_HEAD, inParts(GOOD_JSON), DRIP_MS), json: TOO_SLOW },
  "its first event a byte at a time": { play: drips(EVENTS_HEAD, inParts(FIRST_EVENTS), DRIP_MS), stream: TOO_SLOW },
  "its next event a byte at a time": { play: drips(ROLE_AND_WORD, inParts(data(GOOD_CHUNKS[2]!)), DRIP_MS), stream: BROKEN },
  "spaces for ever": { play: drips(JSON_HEAD, endlessly(bodyPart(" ")), DRIP_MS), ...both(TOO_SLOW) },
  "line ends for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart("\n")), DRIP_MS), ...both(TOO_SLOW) },
  "comments for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart(": wait\n\n")), DRIP_MS), stream: TOO_SLOW },
  "comments for ever behind its words": { play: drips(ROLE_AND_WORD, endlessly(bodyPart(": wait\n\n")), DRIP_MS), stream: BROKEN },
  "events of nothing for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart("data:\n\n")), DRIP_MS), stream: TOO_SLOW },
  "event names for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart("event: ping\n\n")), DRIP_MS), stream: TOO_SLOW },
  "ids and retry hints for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart("id: 1\nretry: 1\n\n")), DRIP_MS), stream: TOO_SLOW },
  "chunks without choices for ever": { play: drips(EVENTS_HEAD, endlessly(bodyPart(data('{"choices":[]}'))), DRIP_MS), stream: TOO_SLOW },
  "empty deltas for ever": {
    play: drips(EVENTS_HEAD, endlessly(bodyPart(data(chunk({})))), DRIP_MS),
    stream: broken("", "upstream_timeout"),
  },
  "headers for ever, slowly": { play: drips("HTTP/1.1 200 OK\r\n", endlessly("x-a: 1\r\n"), DRIP_MS), ...both(TOO_SLOW) },
  "a refusal without its words": { play: writes("HTTP/1.1 500 Oh\r\ncontent-length: 100\r\n\r\n"), ...both(FAILED) },
  "a refusal with half of its words": { play: writes('HTTP/1.1 429 Slow\r\ncontent-length: 100\r\n\r\n{"error":'), ...both(BUSY) },
  "a refusal a byte at a time": { play: drips("HTTP/1.1 500 Oh\r\n\r\n", endlessly("x"), DRIP_MS), ...both(FAILED) },
  "a busy sign a byte at a time": { play: drips("HTTP/1.1 503 Busy\r\n\r\n", endlessly("x"), DRIP_MS), ...both(BUSY) },
};

/** Cases whose upstreams have short timeouts: a timeout must end each of them. */
export const slowCases = openaiCases(
  Object.fromEntries(Object.entries(table).map(([name, rest]) => [`(slowly) ${name}`, { ...rest, isSlow: true }])),
);

/** These are rejected because of their size. Their timeouts are long, so that no timeout ends them. */
export const endlessCases = openaiCases({
  "100 for ever": { play: drips("", endlessly("HTTP/1.1 100 Continue\r\n\r\n".repeat(200)), 5), ...both(FAILED) },
  "early hints for ever": {
    play: drips("", endlessly("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(200)), 5),
    ...both(FAILED),
  },
  "an extension of a part for ever": { play: drips(`${JSON_HEAD}5;`, endlessly("x".repeat(10_000)), 5), ...both(FAILED) },
  "trailers for ever": { play: drips(`${JSON_HEAD}${bodyPart(GOOD_JSON)}0\r\n`, endlessly("x-a: 1\r\n".repeat(1000)), 5), json: FAILED },
});
