import { cells } from "../../support/long.ts";
import { piecesOf, RECORDED_RESPONSES, type RecordedEvent } from "../../streams/recorded-responses.ts";
import { errorFrame, exceptionFrame } from "../../dialects/converse-frames.ts";
import { FAILED, SANE, type HostileCase, type Outcome } from "../hostile-case.ts";
import { EVENTS_TYPE, JSON_TYPE, replies } from "../on-the-wire.ts";
import { pathsIn, replaceValue } from "../replace-value.ts";

type TestedDialect = "anthropic" | "gemini" | "bedrock" | "responses";

const WRONG_VALUES = ["null", "-1", '"text"', '{"a":{}}'];

const write = (dialect: TestedDialect, events: readonly Pick<RecordedEvent, "name" | "data">[]): Buffer =>
  Buffer.concat(events.flatMap((event) => piecesOf(event, RECORDED_RESPONSES[dialect].isBinary)));

function jsonCase(dialect: TestedDialect, name: string, body: string, json: Outcome): HostileCase {
  return { name: `${dialect}: a JSON answer with ${name}`, dialect, play: replies("200 OK", [JSON_TYPE], body), json };
}

function streamCase(
  dialect: TestedDialect,
  name: string,
  events: readonly Pick<RecordedEvent, "name" | "data">[],
  stream: Outcome,
): HostileCase {
  return { name: `${dialect}: a stream with ${name}`, dialect, play: replies("200 OK", [EVENTS_TYPE], write(dialect, events)), stream };
}

function variantsOf(json: string): [name: string, wrong: string][] {
  const right = JSON.parse(json) as object;
  return cells(pathsIn(right), WRONG_VALUES).map(([path, value]) => [`${path.join(".")}: ${value}`, replaceValue(right, path, value)]);
}

/** Every field of a response with one wrong value; in the long run with every wrong value. */
function fieldCases(dialect: TestedDialect): HostileCase[] {
  const { json, stream } = RECORDED_RESPONSES[dialect];
  const inJson = variantsOf(json).map(([name, body]) => jsonCase(dialect, name, body, SANE));
  const inStream = stream.flatMap((event, at) =>
    variantsOf(event.data).map(([name, data]) => streamCase(dialect, `${name} in event ${at}`, stream.with(at, { ...event, data }), SANE)),
  );
  return [...inJson, ...inStream];
}

/** Every event omitted, sent twice, or sent first. */
function orderCases(dialect: TestedDialect): HostileCase[] {
  const { stream } = RECORDED_RESPONSES[dialect];
  return stream.flatMap((event, at) => [
    streamCase(dialect, `event ${at} left out`, stream.toSpliced(at, 1), SANE),
    streamCase(dialect, `event ${at} twice`, stream.toSpliced(at, 0, event), SANE),
    streamCase(dialect, `event ${at} first`, [event, ...stream.toSpliced(at, 1)], SANE),
  ]);
}

const NO_EVENTS = ["null", "[]", "5", '"text"', "{}", "nonsense", '{"type":5}', '{"type":"nonsense"}', "[".repeat(100_000), "[DONE]"];
const ERRORS = [
  "null",
  '"no"',
  "{}",
  "[]",
  '{"type":"overloaded_error","message":"no"}',
  '{"message":{"a":1},"code":{}}',
  '{"code":500,"message":"no"}',
];

/** Other data instead of an event. */
function strangeCases(dialect: TestedDialect): HostileCase[] {
  const { stream } = RECORDED_RESPONSES[dialect];
  return [
    ...NO_EVENTS.flatMap((data) => [
      jsonCase(dialect, `${data.slice(0, 20)} in its place`, data, FAILED),
      streamCase(dialect, `${data.slice(0, 20)} first`, [{ data }, ...stream], SANE),
      streamCase(dialect, `${data.slice(0, 20)} alone`, [{ data }], FAILED),
    ]),
    ...ERRORS.flatMap((error) => [
      jsonCase(dialect, `the error ${error} in its place`, `{"type":"error","error":${error}}`, SANE),
      streamCase(dialect, `the error ${error} alone`, [{ name: "error", data: `{"type":"error","error":${error}}` }], SANE),
      streamCase(
        dialect,
        `the error ${error} in its midst`,
        [...stream.slice(0, -2), { name: "error", data: `{"type":"error","error":${error}}` }],
        SANE,
      ),
    ]),
    streamCase(dialect, "nothing", [], FAILED),
    streamCase(dialect, "an event of 5 MB", [...stream.slice(0, 4), { data: "x".repeat(5_000_000) }], SANE),
    jsonCase(
      dialect,
      "a list 500,000 deep beside it",
      RECORDED_RESPONSES[dialect].json.replace("{", `{"x":${"[".repeat(500_000)}${"]".repeat(500_000)},`),
      FAILED,
    ),
  ];
}

/** AWS frames that are not events of the API, alone and after a valid start. */
function frameCases(): HostileCase[] {
  const good = write("bedrock", RECORDED_RESPONSES.bedrock.stream.slice(0, 2));
  const frames: [string, Buffer][] = [
    ["an exception of an unknown kind", exceptionFrame("newException", {})],
    ["an exception without a message", exceptionFrame("throttlingException", { message: { a: 1 } })],
    ["an exception that is not an object", exceptionFrame("validationException", null)],
    ["an error", errorFrame("InternalFailure", "no")],
    ["a prelude of 4 GB and nothing else", Buffer.from("ffffffff00000000ffffffff", "hex")],
    ["server-sent events", Buffer.from("data: {}\n\n".repeat(10))],
  ];
  return frames.flatMap(([name, frame]) => [
    { name: `bedrock: a stream of ${name}`, dialect: "bedrock", play: replies("200 OK", [EVENTS_TYPE], frame), stream: SANE },
    {
      name: `bedrock: a stream with ${name} in its midst`,
      dialect: "bedrock",
      play: replies("200 OK", [EVENTS_TYPE], Buffer.concat([good, frame])),
      stream: SANE,
    },
  ]);
}

/** Hostile responses in the other formats. Everything below the format is tested with the openai dialect. */
export const dialectCases: HostileCase[] = [
  ...(["anthropic", "gemini", "bedrock", "responses"] as const).flatMap((dialect) => [
    ...fieldCases(dialect),
    ...orderCases(dialect),
    ...strangeCases(dialect),
  ]),
  ...frameCases(),
];
