import { describe, expect, test } from "bun:test";
import { mendStream, passStream } from "../../../test/support/upstreams/mend-stream.ts";
import { chunk, USAGE, usageChunk } from "../../../test/support/upstreams/mock-upstream.ts";
import type { Deviation } from "../../models/deviation.ts";

const ROLE = chunk({ role: "assistant", content: "" });
const HELLO = chunk({ content: "Hello" });
const STOP = chunk({}, "stop");
const DONE = "[DONE]";

const TOOL_HEAD = { index: 0, id: "c1", type: "function", function: { name: "weather", arguments: "" } };
const tool = (piece: object): string => chunk({ tool_calls: [piece] });
const OPEN = tool(TOOL_HEAD);
const ARGUMENTS = tool({ index: 0, function: { arguments: '{"city":"Oslo"}' } });
const CALLED = chunk({}, "tool_calls");

/** A chunk with some top-level fields changed, or removed if the change is undefined. */
const changed = (event: string, change: object): string => JSON.stringify({ ...JSON.parse(event), ...change });
const changedChoice = (event: string, change: object): string => {
  const parsed = JSON.parse(event) as { choices: object[] };
  return JSON.stringify({ ...parsed, choices: parsed.choices.map((choice) => ({ ...choice, ...change })) });
};

interface Case {
  readonly sends: readonly string[];
  /** The choice in each chunk that the caller receives, without irrelevant fields. */
  readonly gets: readonly object[];
}

const OTHER = changedChoice(ROLE, { index: 1 });
const GETS_HELLO = [{ delta: { role: "assistant" } }, { delta: { content: "Hello" }, finish_reason: null }, { finish_reason: "stop" }];
const GETS_CALL = [
  { delta: { role: "assistant" } },
  { delta: { tool_calls: [{ index: 0, id: expect.any(String), type: "function", function: { name: "weather" } }] } },
  { delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo"}' } }] } },
  { delta: {}, finish_reason: "tool_calls" },
];
const hello = (...sends: readonly string[]): Case => ({ sends, gets: GETS_HELLO });
const call = (...sends: readonly string[]): Case => ({ sends, gets: GETS_CALL });

/** A stream for each format deviation. A missing content occurs in JSON responses only, and the last three in other formats. */
const CASES: Record<Exclude<Deviation, "content_missing" | "usage_unpriced" | "reasoning_rejected" | "embedding_encoding">, Case> = {
  id_missing: hello(
    changed(ROLE, { id: "" }),
    changed(HELLO, { id: undefined }),
    changed(STOP, { id: null }),
    changed(usageChunk(), { id: "" }),
    DONE,
  ),
  id_changed: hello(ROLE, changed(HELLO, { id: "another" }), STOP, usageChunk(), DONE),
  created_malformed: hello(ROLE, changed(HELLO, { created: "1700000000" }), changed(STOP, { created: undefined }), usageChunk(), DONE),
  created_changed: hello(ROLE, changed(HELLO, { created: 1_700_000_001 }), STOP, usageChunk(), DONE),
  object_wrong: hello(ROLE, changed(HELLO, { object: "chat.completion" }), changed(STOP, { object: undefined }), usageChunk(), DONE),
  error_null: hello(ROLE, changed(HELLO, { error: null }), STOP, usageChunk(), DONE),
  choices_missing: hello(ROLE, HELLO, STOP, changed(usageChunk(), { choices: undefined }), DONE),
  choices_empty: hello(changed(ROLE, { choices: [], prompt_filter_results: [] }), ROLE, HELLO, STOP, usageChunk(), DONE),
  index_missing: hello(ROLE, changedChoice(HELLO, { index: undefined }), STOP, usageChunk(), DONE),
  delta_missing: hello(ROLE, HELLO, changedChoice(STOP, { delta: null }), usageChunk(), DONE),
  role_missing: hello(chunk({}), HELLO, STOP, usageChunk(), DONE),
  role_repeated: hello(ROLE, chunk({ role: "assistant", content: "Hello" }), chunk({ role: "assistant" }, "stop"), usageChunk(), DONE),
  message_malformed: {
    sends: [
      ROLE,
      chunk({ content: 5, reasoning_content: [] }),
      chunk({ content: "Hello", tool_calls: ["no"], refusal: {} }),
      STOP,
      usageChunk(),
      DONE,
    ],
    gets: [GETS_HELLO[0]!, { delta: {} }, ...GETS_HELLO.slice(1)],
  },
  content_in_parts: hello(ROLE, chunk({ content: [{ type: "text", text: "Hel" }, { text: "lo" }, {}] }), STOP, usageChunk(), DONE),
  reasoning_renamed: {
    sends: [ROLE, chunk({ reasoning: "Hm." }), HELLO, STOP, usageChunk(), DONE],
    gets: [GETS_HELLO[0]!, { delta: { reasoning_content: "Hm." } }, ...GETS_HELLO.slice(1)],
  },
  tool_index_wrong: call(
    ROLE,
    tool({ ...TOOL_HEAD, index: 1 }),
    tool({ index: 1, function: { arguments: '{"city":"Oslo"}' } }),
    CALLED,
    usageChunk(),
    DONE,
  ),
  tool_id_missing: call(ROLE, tool({ ...TOOL_HEAD, id: "" }), ARGUMENTS, CALLED, usageChunk(), DONE),
  tool_type_missing: call(ROLE, tool({ ...TOOL_HEAD, type: undefined }), ARGUMENTS, CALLED, usageChunk(), DONE),
  tool_function_missing: {
    sends: [ROLE, OPEN, ARGUMENTS, tool({ index: 0 }), CALLED, usageChunk(), DONE],
    gets: [...GETS_CALL.slice(0, 3), { delta: { tool_calls: [{ index: 0, function: {} }] } }, GETS_CALL[3]!],
  },
  tool_name_missing: {
    sends: [ROLE, tool({ ...TOOL_HEAD, function: { arguments: "{}" } }), CALLED, usageChunk(), DONE],
    gets: [GETS_CALL[0]!, { delta: { tool_calls: [{ index: 0, function: { name: "", arguments: "{}" } }] } }, GETS_CALL[3]!],
  },
  tool_head_repeated: call(
    ROLE,
    OPEN,
    tool({ ...TOOL_HEAD, function: { name: "weather", arguments: '{"city":"Oslo"}' } }),
    CALLED,
    usageChunk(),
    DONE,
  ),
  arguments_not_text: call(ROLE, OPEN, tool({ index: 0, function: { arguments: { city: "Oslo" } } }), CALLED, usageChunk(), DONE),
  arguments_empty: {
    sends: [ROLE, OPEN, CALLED, usageChunk(), DONE],
    gets: [...GETS_CALL.slice(0, 2), { delta: { tool_calls: [{ index: 0, function: { arguments: "{}" } }] }, finish_reason: "tool_calls" }],
  },
  arguments_unparsable: {
    sends: [ROLE, OPEN, tool({ index: 0, function: { arguments: '{"city":"Oslo' } }), CALLED, usageChunk(), DONE],
    gets: [...GETS_CALL.slice(0, 2), { delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Oslo' } }] } }, GETS_CALL[3]!],
  },
  finish_reason_missing: hello(ROLE, changedChoice(HELLO, { finish_reason: "" }), STOP, usageChunk(), DONE),
  finish_reason_renamed: hello(ROLE, HELLO, chunk({}, "eos_token"), usageChunk(), DONE),
  finish_reason_unknown: hello(ROLE, HELLO, chunk({}, "because"), usageChunk(), DONE),
  finish_reason_wrong: call(ROLE, OPEN, ARGUMENTS, STOP, usageChunk(), DONE),
  finish_reason_repeated: {
    sends: [ROLE, HELLO, STOP, chunk({}, "length"), usageChunk(), DONE],
    gets: [...GETS_HELLO, { delta: {}, finish_reason: null }],
  },
  text_after_finish: {
    sends: [ROLE, HELLO, STOP, chunk({ content: " world" }), usageChunk(), DONE],
    gets: [...GETS_HELLO, { delta: { content: " world" }, finish_reason: null }],
  },
  usage_malformed: hello(ROLE, HELLO, STOP, usageChunk({ prompt_tokens: 5, completion_tokens: 2 }), DONE),
  usage_misplaced: hello(ROLE, HELLO, changed(STOP, { usage: USAGE }), DONE),
  usage_repeated: hello(ROLE, HELLO, STOP, usageChunk(), usageChunk(), DONE),
  usage_per_choice: {
    sends: [ROLE, OTHER, HELLO, STOP, usageChunk(), changedChoice(STOP, { index: 1 }), usageChunk(), DONE],
    gets: [GETS_HELLO[0]!, { index: 1 }, ...GETS_HELLO.slice(1), { index: 1, finish_reason: "stop" }],
  },
  usage_implausible: {
    sends: [ROLE, chunk({ content: "x".repeat(10_000) }), STOP, usageChunk(), DONE],
    gets: [GETS_HELLO[0]!, { finish_reason: null }, GETS_HELLO[2]!],
  },
  usage_missing: hello(ROLE, HELLO, STOP, DONE),
  event_unexpected: hello(ROLE, '{"type":"ping"}', HELLO, STOP, usageChunk(), DONE),
  done_missing: hello(ROLE, HELLO, STOP, usageChunk()),
};

describe("a stream with", () => {
  for (const [name, { sends, gets }] of Object.entries(CASES)) {
    test(`${name} is repaired, and the deviation is reported once`, () => {
      const { chunks, reported } = mendStream(sends);
      expect(chunks.flatMap(({ choices }) => choices)).toMatchObject([...gets]);
      expect(reported).toEqual([name as Deviation]);
    });
  }
});

test("relays a well-formed stream with its own bytes, and reports nothing", () => {
  for (const sends of [
    [ROLE, HELLO, STOP, usageChunk(), DONE],
    [
      ROLE,
      OPEN,
      ARGUMENTS,
      tool({ ...TOOL_HEAD, index: 1, id: "c2" }),
      tool({ index: 1, function: { arguments: "{}" } }),
      CALLED,
      usageChunk(),
      DONE,
    ],
  ]) {
    const { text, reported } = mendStream(sends);
    expect(reported).toEqual([]);
    expect(text).toBe(sends.map((event) => `data: ${event.replace('"up-model"', '"public-model"')}\n\n`).join(""));
  }
});

const think = (text: string): string => chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });

test("moves reasoning summary parts to reasoning_content", () => {
  const part = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] };
  const { chunks } = mendStream([ROLE, chunk({ content: [part] }), HELLO, STOP, usageChunk(), DONE]);
  expect(chunks[1]!.choices[0]!.delta).toMatchObject({ content: "", reasoning_content: "Hm." });
});

test("streams thinking parts as reasoning_content", () => {
  const { chunks, reported } = mendStream([ROLE, think("Two and"), think(" two."), HELLO, STOP, usageChunk(), DONE]);
  expect(chunks.slice(1, 3).flatMap(({ choices }) => choices)).toMatchObject([
    { delta: { content: "", reasoning_content: "Two and" } },
    { delta: { content: "", reasoning_content: " two." } },
  ]);
  expect(reported).toEqual(["content_in_parts"]);
});

test("a repaired chunk does not change the bytes of the others", () => {
  const spelled = HELLO.replace("1700000000", "1.7e9");
  const { text, reported } = passStream([chunk({}), spelled, STOP, usageChunk(), DONE]);
  expect(text).toContain('"created":1.7e9');
  expect(reported).toEqual(["role_missing"]);
});

describe("a finish reason of", () => {
  const WORDS = {
    stop: ["stop", "STOP", "eos", "eos_token", "stop_sequence", "end_turn", "COMPLETE", "made up"],
    length: ["length", "MAX_TOKENS", "model_length", "max_output_tokens", "model_context_window_exceeded"],
    tool_calls: ["tool_calls", "tool_use", "TOOL_CALL"],
    content_filter: ["content_filter", "SAFETY", "refusal", "guardrail_intervened", "sensitive"],
    function_call: ["function_call"],
  };
  for (const [right, words] of Object.entries(WORDS)) {
    test.each(words)(`%s becomes ${right}`, (word) => {
      expect(mendStream([ROLE, HELLO, chunk({}, word), usageChunk(), DONE]).chunks[2]!.choices[0]!.finish_reason).toBe(right);
    });
  }

  test.each(["error", "ERROR", "abort", "insufficient_system_resource", "MALFORMED_FUNCTION_CALL"])("%s is a failure", (word) => {
    expect(() => mendStream([ROLE, HELLO, chunk({}, word), usageChunk(), DONE])).toThrow("broke off");
  });
});

describe("the arguments of a tool call", () => {
  const half = tool({ index: 0, function: { arguments: '{"city":' } });

  test.each(["length", "content_filter"])("may be truncated with finish reason %s", (reason) => {
    expect(mendStream([ROLE, OPEN, half, chunk({}, reason), usageChunk(), DONE]).reported).toEqual([]);
  });

  test("are collected per call", () => {
    const second = tool({ ...TOOL_HEAD, index: 1, id: "c2" });
    const rest = tool({ index: 0, function: { arguments: "1}" } });
    const other = tool({ index: 1, function: { arguments: "{}" } });
    expect(mendStream([ROLE, OPEN, half, second, other, rest, CALLED, usageChunk(), DONE]).reported).toEqual([]);
    expect(mendStream([ROLE, OPEN, half, second, rest, CALLED, usageChunk(), DONE]).reported).toEqual(["arguments_empty"]);
    expect(mendStream([ROLE, OPEN, half, second, other, CALLED, usageChunk(), DONE]).reported).toEqual(["arguments_unparsable"]);
  });

  test("default to {}, also in a delta that ends the response", () => {
    const { chunks } = mendStream([ROLE, chunk({ tool_calls: [TOOL_HEAD] }, "tool_calls"), usageChunk(), DONE]);
    expect(chunks[1]!.choices[0]!.delta["tool_calls"]).toEqual([{ ...TOOL_HEAD, function: { name: "weather", arguments: "{}" } }]);
  });

  test("are not added where the response was truncated before them", () => {
    const { chunks, reported } = mendStream([ROLE, OPEN, chunk({}, "length"), usageChunk(), DONE]);
    expect(chunks[2]!.choices[0]!.delta).toEqual({});
    expect(reported).toEqual([]);
  });

  test("are free text for custom tools", () => {
    const custom = tool({ index: 0, id: "c1", type: "custom", custom: { name: "run", input: "ls {" } });
    const { text, reported } = passStream([ROLE, custom, CALLED, usageChunk(), DONE]);
    expect(text).toContain('"input":"ls {"');
    expect(reported).toEqual([]);
  });
});

const named = (args: string): string => tool({ index: 0, function: { name: "weather", arguments: args } });

test("a name repeated on every delta, without an id, opens no new call", () => {
  const { chunks } = mendStream([ROLE, named('{"city":'), named('"Oslo"}'), named(""), CALLED, usageChunk(), DONE]);
  const indexes = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => (delta["tool_calls"] ?? []) as { index: number }[]));
  expect(indexes.map(({ index }) => index)).toEqual([0, 0, 0]);
});

const calledNull = (index: number, name: string): string =>
  chunk({ tool_calls: [{ index, id: "null", type: "function", function: { name, arguments: `{"at":${index}}` } }] });

test('calls that all have the id "null", as from Mistral, are separated and get generated ids', () => {
  const { chunks, reported } = mendStream([ROLE, calledNull(0, "a"), calledNull(1, "b"), CALLED, usageChunk(), DONE]);
  const calls = chunks.flatMap(({ choices: [choice] }) => (choice?.delta["tool_calls"] ?? []) as Record<string, unknown>[]);
  expect(calls).toMatchObject([
    { index: 0, function: { name: "a", arguments: '{"at":0}' } },
    { index: 1, function: { name: "b", arguments: '{"at":1}' } },
  ]);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  expect(calls.map(({ id }) => id)).not.toContain("null");
  expect(reported).toEqual(["tool_id_missing"]);
});

test("keeps a name that comes after the first delta of its call", () => {
  const nameless = tool({ ...TOOL_HEAD, function: { arguments: "" } });
  const late = tool({ index: 0, function: { name: "weather", arguments: "{}" } });
  const { text, reported } = passStream([ROLE, nameless, late, CALLED, usageChunk(), DONE]);
  expect(text).toContain('"name":"weather"');
  expect(reported).toEqual(["tool_name_missing"]);
});

test("ends a stream with too many choices or tool calls, to bound memory", () => {
  const choices = Array.from({ length: 200 }, (_, index) => changedChoice(HELLO, { index }));
  expect(() => mendStream(choices)).toThrow("more than 128 choices");
  const calls = Array.from({ length: 2000 }, (_, index) => tool({ ...TOOL_HEAD, index, id: `c${index}` }));
  expect(() => mendStream([ROLE, ...calls])).toThrow("more than 1000 tool calls");
});
