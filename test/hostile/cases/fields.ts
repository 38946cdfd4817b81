import { cells } from "../../support/long.ts";
import { completion, chunk, GOOD_CHUNKS, usageChunk } from "../../support/upstreams/mock-upstream.ts";
import { SANE, type HostileCase } from "../hostile-case.ts";
import { data, EVENTS_TYPE, JSON_TYPE, replies } from "../on-the-wire.ts";
import { replaceValue, type Path } from "../replace-value.ts";

/** Wrong values as JSON text, including text that `JSON.stringify` never writes. */
const WRONG_VALUES = ["null", "true", "-1", "1.5", "1e400", '"text"', "[[]]", '{"a":{}}'];

const TOOL_CALL = { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
const TOLD = { role: "assistant", content: "Hello", refusal: null, reasoning_content: "Hm", tool_calls: [TOOL_CALL] };
const COUNTS = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 1 },
  completion_tokens_details: { reasoning_tokens: 1 },
};

const HEAD_PATHS: Path[] = [["id"], ["created"], ["object"], ["model"], ["choices"], ["choices", 0], ["error"], ["system_fingerprint"]];
const CHOICE_PATHS: Path[] = [["index"], ["finish_reason"], ["logprobs"]];
const MESSAGE_PATHS: Path[] = [
  [],
  ["role"],
  ["content"],
  ["refusal"],
  ["reasoning_content"],
  ["reasoning"],
  ["function_call"],
  ["tool_calls"],
  ["tool_calls", 0],
  ["tool_calls", 0, "index"],
  ["tool_calls", 0, "id"],
  ["tool_calls", 0, "type"],
  ["tool_calls", 0, "function"],
  ["tool_calls", 0, "custom"],
  ["tool_calls", 0, "function", "name"],
  ["tool_calls", 0, "function", "arguments"],
];
const USAGE_PATHS: Path[] = [
  [],
  ["prompt_tokens"],
  ["completion_tokens"],
  ["total_tokens"],
  ["prompt_tokens_details"],
  ["prompt_tokens_details", "cached_tokens"],
  ["completion_tokens_details"],
  ["completion_tokens_details", "reasoning_tokens"],
];

const ANSWER = completion(TOLD, { usage: COUNTS });
const CHUNK = JSON.parse(chunk(TOLD)) as object;
const COUNT_CHUNK = JSON.parse(usageChunk(COUNTS)) as object;
const [ROLE, HELLO, , STOP] = GOOD_CHUNKS as [string, string, string, string];

/** The position of a field, and how a response is built around a wrong value. */
interface Place {
  /** The kinds of responses that have the field. */
  readonly where: string;
  readonly kind: "json" | "stream";
  readonly path: Path;
  readonly part: object;
  readonly wrap: (part: string) => string;
}

const PLACES: Place[] = [
  ...placesIn("message").map((path): Place => ({ where: "a JSON answer", kind: "json", path, part: ANSWER, wrap: (part) => part })),
  ...USAGE_PATHS.map((path): Place => ({
    where: "a JSON answer",
    kind: "json",
    path: ["usage", ...path],
    part: ANSWER,
    wrap: (part) => part,
  })),
  ...placesIn("delta").map((path): Place => ({
    where: "a first chunk",
    kind: "stream",
    path,
    part: CHUNK,
    wrap: (part) => data(part, STOP, "[DONE]"),
  })),
  ...placesIn("delta").map((path): Place => ({
    where: "a later chunk",
    kind: "stream",
    path,
    part: CHUNK,
    wrap: (part) => data(ROLE, HELLO, part, STOP, "[DONE]"),
  })),
  ...USAGE_PATHS.map((path): Place => ({
    where: "a last chunk",
    kind: "stream",
    path: ["usage", ...path],
    part: COUNT_CHUNK,
    wrap: (part) => data(ROLE, HELLO, STOP, part, "[DONE]"),
  })),
];

function placesIn(message: "message" | "delta"): Path[] {
  const inChoice = [...CHOICE_PATHS, ...MESSAGE_PATHS.map((path) => [message, ...path])];
  return [...HEAD_PATHS, ...inChoice.map((path) => ["choices", 0, ...path])];
}

function caseOf({ where, kind, path, part, wrap }: Place, value: string): HostileCase {
  const play = replies("200 OK", [kind === "json" ? JSON_TYPE : EVENTS_TYPE], wrap(replaceValue(part, path, value)));
  return { name: `${where} with ${path.join(".")}: ${value}`, dialect: "openai", play, [kind]: SANE };
}

/** Every field with one wrong value; in the long run with every wrong value. */
export const fieldCases: HostileCase[] = cells(PLACES, WRONG_VALUES).map(([place, value]) => caseOf(place, value));
