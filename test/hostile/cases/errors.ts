import { GOOD_CHUNKS } from "../../support/upstreams/mock-upstream.ts";
import { both, broken, FAILED, openaiCases, refused, SANE, type HostileCase, type Outcome } from "../hostile-case.ts";
import { data, EVENTS_TYPE, FIRST_EVENTS, JSON_TYPE, replies } from "../on-the-wire.ts";

type Row = [string, Omit<HostileCase, "name" | "dialect">];

/** Valid and invalid error objects instead of a response. */
const ERRORS: Record<string, string> = {
  "a text": '"no"',
  "an empty object": "{}",
  "an empty list": "[]",
  "a list": '[{"message":"no"}]',
  true: "true",
  "a number": "500",
  "a message that is a number": '{"message":5}',
  "a message that is an object": '{"message":{"a":"b"}}',
  "a message that is nothing": '{"message":null}',
  "a code that is a number": '{"message":"no","code":500}',
  "a code that is an object": '{"message":"no","code":{},"type":[],"param":{}}',
  "a message of 1 MB": `{"message":"${"x".repeat(1_000_000)}"}`,
  "a message with line ends and control characters": String.raw`{"message":"a\r\nset-cookie: x\u0000\u001b[2J\u0085"}`,
  "a message with frames in it": String.raw`{"message":"a\n\ndata: [DONE]\n\n"}`,
  "a message with half a surrogate pair": String.raw`{"message":"\ud800"}`,
  "an error in an error": '{"error":{"error":{"message":"no"}}}',
  "an error 100,000 deep": `${'{"error":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  __proto__: '{"__proto__":{"message":"no"}}',
};

/** Values of `error` that mean an error only because the field is present, or that mean no error. */
const NO_ERRORS = ["null", "false", "0", '""'];

const CANARY_ERROR = '{"message":"Incorrect API key provided: CREDENTIAL.","code":"invalid_api_key","param":"CREDENTIAL"}';
const GOOD_BUT = (error: string): string => GOOD_CHUNKS[1]!.replace("{", `{"error":${error},`);

/** Error messages that quote the gateway's own credential. */
function repeatsCredential(status: string, outcome: Outcome): Omit<HostileCase, "name" | "dialect"> {
  return {
    play(socket, request) {
      const credential = /^authorization: Bearer (.*)$/im.exec(request.head)![1]!.trim();
      const body = `{"error":${CANARY_ERROR.replaceAll("CREDENTIAL", credential)}}`;
      return replies(status, [JSON_TYPE, `x-key: ${credential}`], request.stream ? data(body) : body)(socket, request);
    },
    ...both(outcome),
  };
}

function rowsOf(name: string, error: string): Row[] {
  const body = `{"error":${error}}`;
  return [
    [`the error ${name} with 200`, { play: replies("200 OK", [JSON_TYPE], body), json: FAILED }],
    [`the error ${name} with 400`, { play: replies("400 Bad", [JSON_TYPE], body), ...both(refused(400, "invalid_value")) }],
    [`the error ${name} with 500`, { play: replies("500 Oh", [JSON_TYPE], body), ...both(FAILED) }],
    [`the error ${name} as its first event`, { play: replies("200 OK", [EVENTS_TYPE], data(body)), stream: FAILED }],
    [`the error ${name} behind its words`, { play: replies("200 OK", [EVENTS_TYPE], FIRST_EVENTS + data(body)), stream: broken("Hello") }],
  ];
}

export const errorCases = openaiCases({
  ...Object.fromEntries(Object.entries(ERRORS).flatMap(([name, error]) => rowsOf(name, error))),
  ...Object.fromEntries(
    NO_ERRORS.map((error): Row => [
      `words beside the error ${error}`,
      { play: replies("200 OK", [EVENTS_TYPE], data(GOOD_BUT(error), GOOD_CHUNKS[3]!)), stream: SANE },
    ]),
  ),
  "our credential in a 200": repeatsCredential("200 OK", FAILED),
  "our credential in a 400": repeatsCredential("400 Bad", refused(400, "invalid_value")),
  "our credential in a 401": repeatsCredential("401 Unauthorized", FAILED),
  "our credential in a 500": repeatsCredential("500 Oh", FAILED),
  "our credential behind 1,990 letters": {
    play(socket, request) {
      const credential = /^authorization: Bearer (.*)$/im.exec(request.head)![1]!.trim();
      return replies("400 Bad", [JSON_TYPE], JSON.stringify({ error: { message: "x".repeat(1990) + credential } }))(socket, request);
    },
    ...both(refused(400, "invalid_value")),
  },
});
