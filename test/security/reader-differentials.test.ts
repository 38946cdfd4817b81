import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readJson } from "../../src/http/read-json.ts";
import { findChatViolation } from "../../src/requests/chat-request.ts";
import { Cancellation } from "../../src/lib/async/cancellation.ts";
import { runs } from "../support/long.ts";
import { anyCaseLastWins, firstWins, lastWins, parseMembers, type Member, type Parsed, type Reader } from "./json-readers.ts";

/**
 * The fields that decide which model answers, how long and about what, by the object that contains them. For a list, the fields of its
 * items.
 */
interface Shape {
  readonly [name: string]: Shape;
}

const ANY: Shape = {};
const PART: Shape = {
  type: ANY,
  text: ANY,
  image_url: { url: ANY, detail: ANY },
  input_audio: { data: ANY },
  file: { file_data: ANY },
  video_url: { url: ANY },
  audio_url: { url: ANY },
  source: { type: ANY, media_type: ANY, data: ANY },
  thinking: ANY,
  file_id: ANY,
};
const TOOL: Shape = { type: ANY, function: { name: ANY, description: ANY, strict: ANY } };
const BODY: Shape = {
  model: ANY,
  messages: { role: ANY, content: PART, name: ANY, tool_call_id: ANY, tool_calls: { id: ANY, function: { name: ANY, arguments: ANY } } },
  max_tokens: ANY,
  max_completion_tokens: ANY,
  n: ANY,
  stream: ANY,
  stream_options: { include_usage: ANY },
  stop: ANY,
  tools: TOOL,
  response_format: { type: ANY, json_schema: { name: ANY, strict: ANY } },
};

/** A reader's view of a body. */
function view(value: Parsed | undefined, shape: Shape, read: Reader): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Parsed[]).map((item) => view(item, shape, read));
  const { members } = value as { readonly members: readonly Member[] };
  const fields = Object.keys(shape).map((name) => [name, view(read(members, name), shape[name]!, read)] as const);
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined));
}

function namesIn(shape: Shape): string[] {
  return Object.entries(shape).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

/** A name as an attacker may write it to make two readers disagree: in another case, with a look-alike character, or with an escape. */
function spelled(name: string): fc.Arbitrary<string> {
  const letters = name.split("").map((letter) => {
    const escaped = `\\u00${letter.charCodeAt(0).toString(16)}`;
    const variants = { k: ["\u212a", "\\u212a"], s: ["\u017f", "\\u017F"] }[letter] ?? [];
    return fc.oneof(
      { weight: 40, arbitrary: fc.constant(letter) },
      { weight: 1, arbitrary: fc.constantFrom(letter.toUpperCase(), escaped, ...variants) },
    );
  });
  return fc.tuple(...letters).map((all) => `"${all.join("")}"`);
}

const NAMES = fc.constantFrom(...namesIn(BODY), "top_k", "metadata").chain(spelled);

/** The text of an object with these members, and sometimes an additional member with any name. */
function objectOf(members: readonly (readonly [string, fc.Arbitrary<string>])[]): fc.Arbitrary<string> {
  const own = fc.tuple(...members.map(([name, value]) => fc.tuple(spelled(name), value).map((pair) => pair.join(":"))));
  const extra = fc.tuple(NAMES, fc.constantFrom("1", '"x"', "null", "true", "[]", "{}")).map((pair) => pair.join(":"));
  const extras = fc.oneof({ weight: 6, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: fc.array(extra, { maxLength: 2 }) });
  return fc
    .tuple(own, extras)
    .chain(([all, more]) => fc.shuffledSubarray([...all, ...more], { minLength: all.length + more.length }))
    .map((all) => `{${all.join(", ")}}`);
}

const text = fc.constantFrom('"hi"', '"a \\"quoted\\" : {word}"', `"${"long ".repeat(80)}"`, '"\\u0041"');
const image = objectOf([
  ["url", fc.constant('"data:image/png;base64,AAAA"')],
  ["detail", fc.constant('"low"')],
]);
const part = fc.oneof(
  objectOf([
    ["type", fc.constant('"text"')],
    ["text", text],
  ]),
  objectOf([
    ["type", fc.constant('"image_url"')],
    ["image_url", image],
  ]),
  objectOf([
    ["type", fc.constant('"audio_url"')],
    ["audio_url", objectOf([["url", fc.constant('"data:audio/wav;base64,AAAA"')]])],
  ]),
);
const message = objectOf([
  ["role", fc.constantFrom('"user"', '"system"')],
  [
    "content",
    fc.oneof(
      text,
      fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => `[${parts.join(",")}]`),
    ),
  ],
]);
const tool = objectOf([
  ["type", fc.constant('"function"')],
  ["function", objectOf([["parameters", fc.constant('{"Type": 1, "type": 2, "properties": {"URL": {}, "url": {}}}')]])],
]);
const body = objectOf([
  ["model", fc.constant('"cheap"')],
  ["messages", fc.array(message, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(",")}]`)],
  ["max_tokens", fc.constantFrom("5", "null")],
  ["n", fc.constantFrom("1", "2")],
  ["stream", fc.constantFrom("true", "false")],
  ["stream_options", objectOf([["include_usage", fc.constant("true")]])],
  ["tools", tool.map((each) => `[${each}]`)],
]);

/** The body as Tollgate has read it; undefined if it was rejected. */
async function readByTollgate(sent: string): Promise<Record<string, unknown> | undefined> {
  const bytes = Buffer.from(sent);
  const headers = new Headers({ "content-type": "application/json" });
  const request = {
    method: "POST",
    target: "/",
    params: {},
    headers,
    headerBytes: 0,
    signal: new Cancellation(),
    isReceived: true,
    bytes: () => bytes,
  };
  try {
    const read = await readJson(request, 1e9, "rejected");
    return findChatViolation(read.outline) ? undefined : read.value;
  } catch {
    return undefined;
  }
}

test("every JSON parser reads an accepted body as the gateway does", async () => {
  let accepted = 0;
  let rejected = 0;
  const property = fc.asyncProperty(body, async (sent) => {
    const own = await readByTollgate(sent);
    if (!own) return void rejected++;
    accepted++;
    const members = parseMembers(sent);
    const expected = view(parseMembers(JSON.stringify(own)), BODY, lastWins);
    for (const reader of [lastWins, firstWins, anyCaseLastWins]) expect(view(members, BODY, reader)).toEqual(expected);
  });
  await fc.assert(property, runs(1500));
  // Both results must be frequent: otherwise the property would show nothing.
  expect(Math.min(accepted, rejected)).toBeGreaterThan((accepted + rejected) / 10);
});
