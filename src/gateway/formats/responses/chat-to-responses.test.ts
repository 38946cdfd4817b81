import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readResponse } from "../../../../test/responses/read-response.ts";
import { runs } from "../../../../test/support/long.ts";
import type { Usage } from "../../../money/usage.ts";
import { ResponseTools, type ResponseTool } from "./response-tools.ts";
import { echoedFields, ResponseWriter, toResponse } from "./chat-to-responses.ts";

type Json = Readonly<Record<string, unknown>>;

const USAGE: Usage = { promptTokens: 15, completionTokens: 7, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };
const COUNTS = {
  input_tokens: 15,
  input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 22,
};
const HEAD = { id: "chatcmpl-1", created: 1_700_000_000, model: "public" };

interface Call {
  readonly id: string;
  readonly tool: ResponseTool;
  readonly input: string;
}

const TOOLS: readonly ResponseTool[] = [
  { kind: "function", name: "run", namespace: undefined },
  { kind: "function", name: "run", namespace: "shell" },
  { kind: "custom", name: "apply_patch", namespace: undefined },
  { kind: "tool_search", name: "tool_search", namespace: undefined },
];

const call = fc.record({ id: fc.uuid(), tool: fc.constantFrom(...TOOLS), input: fc.string({ maxLength: 8 }) });

/** The pieces of a call: its head, and its arguments in two halves. */
function piecesOf({ id, tool, input }: Call, index: number, tools: ResponseTools): Json[] {
  const args = JSON.stringify({ input });
  const half = args.length >> 1;
  const head = { index, id, type: "function", function: { name: tools.nameOf(tool), arguments: "" } };
  return [head, ...[args.slice(0, half), args.slice(half)].map((piece) => ({ index, function: { arguments: piece } }))];
}

/** Mixes the pieces of all calls. A call is opened after the calls before it. */
function mixed(pieces: readonly Json[][], order: readonly number[]): Json[] {
  const left = pieces.map((list) => [...list]);
  const taken: Json[] = [];
  for (const which of order) {
    const unopened = left.findIndex((list) => list.length === 3);
    const piece = left[which % (unopened < 0 ? Math.max(1, left.length) : unopened + 1)]?.shift();
    if (piece) taken.push(piece);
  }
  return [...taken, ...left.flat()];
}

function itemOf({ id, tool: { kind, name, namespace }, input }: Call): Json {
  const named = { name, ...(namespace !== undefined && { namespace }) };
  const common = { id: expect.any(String), status: "completed", call_id: id };
  if (kind === "function") return { ...common, type: "function_call", ...named, arguments: JSON.stringify({ input }) };
  if (kind === "custom") return { ...common, type: "custom_tool_call", ...named, input };
  return { ...common, type: "tool_search_call", execution: "client", arguments: { input } };
}

const ENDS = [
  ["stop", "completed", null],
  ["tool_calls", "completed", null],
  ["length", "incomplete", { reason: "max_output_tokens" }],
  ["content_filter", "incomplete", { reason: "content_filter" }],
] as const;

const words = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 3 });

test("any response in any chunks is one that a strict client accepts, with the same content, streamed or whole", () => {
  const same = fc.property(
    fc.record({ reasoning: words, texts: words, refusals: words, calls: fc.array(call, { maxLength: 4 }) }),
    fc.array(fc.nat(7), { maxLength: 14 }),
    fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 14 }),
    fc.constantFrom(...ENDS),
    ({ reasoning, texts, refusals, calls }, order, sizes, [reason, status, details]) => {
      const tools = new ResponseTools();
      const pieces = calls.map((each, at) => piecesOf(each, at, tools));
      const deltas = [
        { role: "assistant" },
        ...reasoning.map((piece) => ({ reasoning_content: piece })),
        ...texts.map((content) => ({ content })),
        ...refusals.map((refusal) => ({ refusal })),
        ...mixed(pieces, order).map((piece) => ({ tool_calls: [piece] })),
      ];
      const chunks = deltas.map((delta) => JSON.stringify({ ...HEAD, choices: [{ index: 0, delta, finish_reason: null }] }));
      chunks.push(JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: {}, finish_reason: reason }] }));
      const writer = new ResponseWriter(tools, echoedFields({}));
      const written: string[] = [];
      for (const sizesLeft = [...sizes]; chunks.length > 0;) written.push(...writer.write(chunks.splice(0, sizesLeft.shift() ?? 1)));
      const end = writer.end(USAGE);
      written.push(...end);
      // A stored copy has the same end.
      expect(writer.end(USAGE)).toEqual(end);

      const content = [
        ...(texts.length > 0 ? [{ type: "output_text", text: texts.join(""), annotations: [], logprobs: [] }] : []),
        ...(refusals.length > 0 ? [{ type: "refusal", refusal: refusals.join("") }] : []),
      ];
      const isLast = calls.length === 0;
      const output = [
        ...(reasoning.length > 0
          ? [{ id: expect.any(String), type: "reasoning", summary: [{ type: "summary_text", text: reasoning.join("") }] }]
          : []),
        ...(content.length > 0
          ? [{ id: expect.any(String), type: "message", status: isLast ? status : "completed", role: "assistant", content }]
          : []),
        ...calls.map((each) => itemOf(each)),
      ];
      const expected = { model: "public", status, incomplete_details: details, output, usage: COUNTS };
      expect(readResponse(written.map((event) => JSON.parse(event) as Json))).toMatchObject(expected);

      const message = {
        role: "assistant",
        content: texts.join(""),
        refusal: refusals.join(""),
        reasoning_content: reasoning.join(""),
        tool_calls: calls.map((each, at) => {
          const [head] = piecesOf(each, at, tools);
          const name = tools.nameOf(each.tool);
          return { ...head, function: { name, arguments: JSON.stringify({ input: each.input }) } };
        }),
      };
      const body = JSON.stringify({ ...HEAD, choices: [{ index: 0, message, finish_reason: reason }] });
      const whole = toResponse({ body, usage: USAGE, uncountedBytes: 0 }, tools, echoedFields({}));
      expect(JSON.parse(whole.body)).toMatchObject(expected);
    },
  );
  fc.assert(same, runs(300, 20_000));
});

test.each(["length", "content_filter"])("a call that is cut by the finish reason `%s` is never done", (reason) => {
  const named = (index: number, name: string, args: string): Json => ({
    index,
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: args },
  });
  for (const tool of TOOLS) {
    const tools = new ResponseTools();
    const calls = [named(0, "read", '{"path":"a"}'), named(1, tools.nameOf(tool), '{"input":"rm -r')];
    const writer = new ResponseWriter(tools, echoedFields({}));
    const chunk = { ...HEAD, choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: reason }] };
    const events = [...writer.write([JSON.stringify(chunk)]), ...writer.end(USAGE)].map((event) => JSON.parse(event) as Json);
    expect(readResponse(events)["output"]).toMatchObject([{ type: "function_call", call_id: "call_0", arguments: '{"path":"a"}' }]);
    expect(events.filter(({ type, output_index: at }) => String(type).endsWith(".done") && at === 1)).toEqual([]);

    const message = { role: "assistant", content: null, tool_calls: calls };
    const body = JSON.stringify({ ...HEAD, choices: [{ index: 0, message, finish_reason: reason }] });
    const whole = JSON.parse(toResponse({ body, usage: USAGE, uncountedBytes: 0 }, tools, echoedFields({})).body) as Json;
    expect(whole["output"]).toMatchObject([{ call_id: "call_0" }]);
  }
});

test("a response repeats the numbers of its request, and no texts", () => {
  const echoed = echoedFields({ temperature: 0.5, instructions: "long", tools: [{ type: "function" }], metadata: { a: "b" } });
  expect(JSON.parse(`{${echoed}}`)).toMatchObject({
    temperature: 0.5,
    top_p: null,
    instructions: null,
    tools: [],
    metadata: {},
    store: false,
  });
});
