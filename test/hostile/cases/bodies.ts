import { bodyPart, EVENTS_HEAD } from "../../streams/raw-upstream.ts";
import { MAX_DEPTH, MAX_ELEMENTS, named } from "../sizes.ts";
import { answered, both, broken, FAILED, openaiCases, SANE, type HostileCase, type Outcome } from "../hostile-case.ts";
import { data, EVENTS_TYPE, FIRST_EVENTS, GOOD_EVENTS, GOOD_JSON, JSON_TYPE, LAST_PART, replies, writes } from "../on-the-wire.ts";

type Row = [string, Omit<HostileCase, "name" | "dialect">];

/** Bodies that are not a JSON object of a response. */
const NO_ANSWERS: Record<string, string | Uint8Array> = {
  spaces: "   \n\t  ",
  null: "null",
  true: "true",
  "a number": "42",
  "a text": '"Hello world"',
  "an empty list": "[]",
  "an empty object": "{}",
  "a list of answers": `[${GOOD_JSON}]`,
  "plain words": "Hello world",
  "a page": "<!doctype html><html><body>502 Bad Gateway</body></html>",
  XML: '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
  "a picture": Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
  "a program": Buffer.from("7f454c46020101000000000000000000", "hex"),
  "half a JSON": GOOD_JSON.slice(0, -1),
  "two JSONs": GOOD_JSON + GOOD_JSON,
  "JSON and noise": `${GOOD_JSON}\0\0`,
  "JSON with a comma too many": GOOD_JSON.replace(/\}$/, ",}"),
  "JSON with a comment": GOOD_JSON.replace("{", "{/* hi */"),
  "JSON with NaN": GOOD_JSON.replace('"usage":{', '"usage":{"x":NaN,'),
  "JSON with single quotes": GOOD_JSON.replaceAll('"', "'"),
  "JSON with a raw line end in a text": GOOD_JSON.replace("Hello", "Hel\u0001lo"),
  "JSON in UTF-16": Buffer.from(GOOD_JSON, "utf16le"),
  "JSON in UTF-16 with a mark": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(GOOD_JSON, "utf16le")]),
  [`a list ${named(MAX_DEPTH)} deep`]: "[".repeat(MAX_DEPTH) + "]".repeat(MAX_DEPTH),
  [`a list ${named(MAX_DEPTH)} deep that does not close`]: "[".repeat(MAX_DEPTH),
  "an object 500,000 deep": `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`,
  [`a list of ${named(MAX_ELEMENTS)} nothings`]: `[${"null,".repeat(MAX_ELEMENTS - 1)}null]`,
  "no choices": GOOD_JSON.replace(/"choices":\[.*?\],"usage"/, '"usage"'),
};

const inChoice = (more: string): string => GOOD_JSON.replace('"choices":[{', `"choices":[{${more},`);
const atTop = (more: string): string => GOOD_JSON.replace("{", `{${more},`);
const deep = (depth: number): string => `"x":${"[".repeat(depth)}${"]".repeat(depth)}`;
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":0`).join(",");

/** Responses with contents that break a careless parser. */
const DIFFICULT: Record<string, string | Uint8Array> = {
  "a byte order mark in front": `\ufeff${GOOD_JSON}`,
  "1,000 line ends in front": "\n".repeat(1000) + GOOD_JSON,
  "bytes that are not UTF-8 in its text": Buffer.from(GOOD_JSON.replace("Hello", "H\u00ff\u00c3\u0028llo"), "latin1"),
  "an overlong form in its text": Buffer.from(GOOD_JSON.replace("Hello", "H\u00c0\u00afllo"), "latin1"),
  "half a surrogate pair in its text": GOOD_JSON.replace("Hello", String.raw`\ud800`),
  "surrogates the wrong way round": GOOD_JSON.replace("Hello", String.raw`\udc00\ud800`),
  "NUL in its text": GOOD_JSON.replace("Hello", String.raw`\u0000`),
  "line ends and frames in its text": GOOD_JSON.replace("Hello", String.raw`\n\ndata: [DONE]\n\n`),
  "separators of lines and paragraphs": GOOD_JSON.replace("Hello", "\u2028\u2029\u0085"),
  "100,000 keys beside it": atTop(keys(100_000)),
  "1,000,000 keys beside it": atTop(keys(1_000_000)),
  "keys that say __proto__": atTop('"__proto__":{"usage":null,"isAdmin":true}'),
  "a choice with __proto__": inChoice('"__proto__":{"finish_reason":"stop"}'),
  "keys that say constructor": atTop('"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":1,"toJSON":1'),
  "choices twice": atTop('"choices":[{"index":0,"message":{"role":"assistant","content":"Other"},"finish_reason":"stop"}]'),
  "usage twice": atTop('"usage":{"prompt_tokens":999999,"completion_tokens":999999}'),
  "an id of 1 MB": GOOD_JSON.replace("chatcmpl-mock", "x".repeat(1_000_000)),
  "a number of 100,000 digits": atTop(`"x":${"9".repeat(100_000)}`),
  "numbers beyond all bounds": atTop('"x":1e400,"y":-1e400,"z":1e-400'),
  "1 MB of spaces inside": GOOD_JSON.replace(":", `:${" ".repeat(1_000_000)}`),
};

/** Responses with values that are nested so deeply that serializing them again would take seconds. */
const TOO_DEEP: Record<string, string> = {
  "a list 10,000 deep beside it": atTop(deep(10_000)),
  "a list 500,000 deep beside it": atTop(deep(500_000)),
  "a list 500,000 deep in its choice": inChoice(deep(500_000)),
};

/** Far too many elements. */
const MANY: Record<string, string> = {
  "100,000 choices": GOOD_JSON.replace(
    /"choices":\[(.*?)\],"usage"/,
    (_, choice: string) => `"choices":[${`${choice},`.repeat(99_999)}${choice}],"usage"`,
  ),
  "100,000 tool calls": GOOD_JSON.replace(
    '"content":"Hello world"',
    `"content":null,"tool_calls":[${'{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},'.repeat(99_999)}{}]`,
  ),
};

/** Content types of a body. The gateway ignores them, because many servers send wrong ones. */
const TYPES = [
  "text/html",
  "text/xml",
  "application/octet-stream",
  "image/png",
  "text/plain; charset=utf-16",
  "nonsense",
  "",
  "application/json; charset=evil",
];

const asEvent = (text: string | Uint8Array): Uint8Array => Buffer.concat([Buffer.from("data: "), Buffer.from(text), Buffer.from("\n\n")]);

/** The same bytes as a JSON response, and as the first event of a stream. */
function casesOf(name: string, body: string | Uint8Array, json: Outcome, stream: Outcome): Row[] {
  return [
    [`${name} as its response`, { play: replies("200 OK", [JSON_TYPE], body), json }],
    [`${name} as its first event`, { play: replies("200 OK", [EVENTS_TYPE], asEvent(body)), stream }],
  ];
}

export const bodyCases = openaiCases(
  Object.fromEntries([
    ...Object.entries(NO_ANSWERS).flatMap(([name, body]) => casesOf(name, body, FAILED, FAILED)),
    ...Object.entries(TOO_DEEP).flatMap(([name, body]) => casesOf(name, body, FAILED, FAILED)),
    ...Object.entries(DIFFICULT).flatMap(([name, body]) => casesOf(name, body, SANE, SANE)),
    ...Object.entries(MANY).flatMap(([name, body]) => casesOf(name, body, SANE, SANE)),
    ...TYPES.flatMap((type): Row[] => [
      [`a JSON answer of the type "${type}"`, { play: replies("200 OK", [`content-type: ${type}`], GOOD_JSON), json: answered() }],
      [`a stream of the type "${type}"`, { play: replies("200 OK", [`content-type: ${type}`], GOOD_EVENTS), stream: answered() }],
    ]),
    ["nothing in its body", { play: replies("200 OK", [JSON_TYPE], ""), ...both(FAILED) }] satisfies Row,
    ["a JSON response to a streaming request", { play: replies("200 OK", [JSON_TYPE], GOOD_JSON), stream: FAILED }] satisfies Row,
    ["a stream in response to a JSON request", { play: replies("200 OK", [EVENTS_TYPE], GOOD_EVENTS), json: FAILED }] satisfies Row,
    [
      "a page in the middle of its stream",
      { play: writes(EVENTS_HEAD, bodyPart(FIRST_EVENTS), bodyPart("<!doctype html>\n\n<p>502\n\n"), LAST_PART), stream: broken("Hello") },
    ] satisfies Row,
    [
      "JSON that breaks off in the middle of its stream",
      { play: writes(EVENTS_HEAD, bodyPart(FIRST_EVENTS), bodyPart(data('{"choices":[')), LAST_PART), stream: broken("Hello") },
    ] satisfies Row,
  ]),
);
