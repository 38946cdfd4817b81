import { chunk, completion, rawEvents, usageChunk, type Script } from "./mock-upstream.ts";

/** The ways in which real upstreams deviate from the chat-completions format so that some client fails. */

export const ROLE = chunk({ role: "assistant", content: "" });
export const HELLO = chunk({ content: "Hello" });
export const WORLD = chunk({ content: " world" });
export const STOP = chunk({}, "stop");
export const DONE = "data: [DONE]\n\n";

export const data = (list: readonly string[]): string => list.map((event) => `data: ${event}\n\n`).join("");
const without = (event: string, ...keys: readonly string[]): string => {
  const copy = JSON.parse(event) as Record<string, unknown>;
  for (const key of keys) delete copy[key];
  return JSON.stringify(copy);
};
const withChoice = (event: string, change: (choice: Record<string, unknown>) => void): string => {
  const copy = JSON.parse(event) as { choices: Record<string, unknown>[] };
  copy.choices.forEach(change);
  return JSON.stringify(copy);
};

const withDelta = (event: string, more: object): string =>
  withChoice(event, (choice) => (choice["delta"] = { ...(choice["delta"] as object), ...more }));

/** Streams with deviations, which must be repaired to the correct "Hello world". */
export const MENDED_STREAMS: Record<string, string> = {
  "a good stream": data([ROLE, HELLO, WORLD, STOP, usageChunk()]) + DONE,
  "no [DONE] at all": data([ROLE, HELLO, WORLD, STOP]),
  "[DONE] with a trailing space": `${data([ROLE, HELLO, WORLD, STOP])}data: [DONE] \n\n`,
  "comment lines": `: hi\n\n${data([ROLE, HELLO])}: OPENROUTER PROCESSING\n\n${data([WORLD, STOP])}${DONE}`,
  "named events without data": `${data([ROLE, HELLO])}event: ping\n\n${data([WORLD, STOP])}${DONE}`,
  "named events with data": `${data([ROLE, HELLO])}event: ping\ndata: {"type":"ping"}\n\n${data([WORLD, STOP])}${DONE}`,
  "event ids and retry hints": `id: 1\nretry: 100\n${data([ROLE, HELLO])}id: 2\n${data([WORLD, STOP])}${DONE}`,
  "CRLF line ends": (data([ROLE, HELLO, WORLD, STOP]) + DONE).replaceAll("\n", "\r\n"),
  "no space behind data:": (data([ROLE, HELLO, WORLD, STOP]) + DONE).replaceAll("data: ", "data:"),
  "no final blank line": (data([ROLE, HELLO, WORLD, STOP]) + DONE).trimEnd(),
  "no role in the first delta": data([HELLO, WORLD, STOP]) + DONE,
  "a usage chunk without choices": data([ROLE, HELLO, WORLD, STOP, without(usageChunk(), "choices")]) + DONE,
  "a usage chunk with choices: null": data([ROLE, HELLO, WORLD, STOP, usageChunk().replace('"choices":[]', '"choices":null')]) + DONE,
  "no index on choices": data([ROLE, HELLO, WORLD, STOP].map((event) => withChoice(event, (choice) => delete choice["index"]))) + DONE,
  "no object": data([ROLE, HELLO, WORLD, STOP].map((event) => without(event, "object"))) + DONE,
  "no id, created or model": data([ROLE, HELLO, WORLD, STOP].map((event) => without(event, "id", "created", "model"))) + DONE,
  "another id and created on every chunk":
    data([ROLE, HELLO, WORLD, STOP].map((event, at) => JSON.stringify({ ...JSON.parse(event), id: `x${at}`, created: at }))) + DONE,
  "error: null on a normal chunk":
    data([ROLE, HELLO, WORLD, STOP].map((event) => JSON.stringify({ ...JSON.parse(event), error: null }))) + DONE,
  "delta: null": data([ROLE, HELLO, WORLD, withChoice(STOP, (choice) => (choice["delta"] = null))]) + DONE,
  "no delta at the end": data([ROLE, HELLO, WORLD, withChoice(STOP, (choice) => delete choice["delta"])]) + DONE,
  "no finish_reason before the last":
    data([...[ROLE, HELLO, WORLD].map((event) => withChoice(event, (choice) => delete choice["finish_reason"])), STOP]) + DONE,
  "content in parts": data([ROLE, chunk({ content: [{ type: "text", text: "Hello" }] }), WORLD, STOP]) + DONE,
  "usage on every chunk":
    data(
      [ROLE, HELLO, WORLD, STOP].map((event, at) =>
        JSON.stringify({ ...JSON.parse(event), usage: { prompt_tokens: 5, completion_tokens: at, total_tokens: 5 + at } }),
      ),
    ) + DONE,
  "an empty chunk in mid-stream": data([ROLE, HELLO, without(usageChunk(), "usage"), WORLD, STOP]) + DONE,
  "an empty chunk with filter results first":
    data([
      JSON.stringify({ id: "", model: "", object: "", created: 0, choices: [], prompt_filter_results: [] }),
      ROLE,
      HELLO,
      WORLD,
      STOP,
    ]) + DONE,
  "error: false on a normal chunk":
    data([ROLE, HELLO, WORLD, STOP].map((event) => JSON.stringify({ ...JSON.parse(event), error: false }))) + DONE,
  "token counts that are none": data([ROLE, HELLO, WORLD, STOP, usageChunk({ prompt_tokens: 5 })]) + DONE,
  "JSON spread over several data lines":
    [ROLE, HELLO, WORLD, STOP]
      .map((event) => `data: ${JSON.stringify(JSON.parse(event), null, 1).replaceAll("\n", "\ndata: ")}\n\n`)
      .join("") + DONE,
  "an event of nothing": `data:\n\n${data([ROLE, HELLO])}data: \n\n${data([WORLD, STOP])}${DONE}`,
  "the role on every delta": data([ROLE, HELLO, WORLD, STOP].map((event) => withDelta(event, { role: "assistant" }))) + DONE,
  "a finish reason in other words": data([ROLE, HELLO, WORLD, chunk({}, "eos_token")]) + DONE,
  "a finish reason that nobody knows": data([ROLE, HELLO, WORLD, chunk({}, "because")]) + DONE,
  "a second finish reason": data([ROLE, HELLO, WORLD, STOP, chunk({}, "length")]) + DONE,
  "text behind the finish reason": data([ROLE, HELLO, STOP, WORLD]) + DONE,
  "an empty delta before the role": data([chunk({}), ROLE, HELLO, WORLD, STOP]) + DONE,
};

const call = (more: object): object => ({ tool_calls: [more] });
export const ARGUMENTS = '{"city":"Oslo"}';

/** Streams of one tool call, `weather({"city":"Oslo"})`, with deviations. */
export const MENDED_TOOL_STREAMS: Record<string, string[]> = {
  "a good tool call": [
    chunk({
      role: "assistant",
      content: null,
      ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: "" } }),
    }),
    chunk(call({ index: 0, function: { arguments: ARGUMENTS.slice(0, 5) } })),
    chunk(call({ index: 0, function: { arguments: ARGUMENTS.slice(5) } })),
    chunk({}, "tool_calls"),
  ],
  "no type on the first piece": [
    chunk({ role: "assistant", ...call({ index: 0, id: "c1", function: { name: "weather", arguments: ARGUMENTS } }) }),
    chunk({}, "tool_calls"),
  ],
  "no id on the first piece": [
    chunk({ role: "assistant", ...call({ index: 0, type: "function", function: { name: "weather", arguments: ARGUMENTS } }) }),
    chunk({}, "tool_calls"),
  ],
  "no index": [
    chunk({ role: "assistant", ...call({ id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS.slice(0, 5) } }) }),
    chunk(call({ function: { arguments: ARGUMENTS.slice(5) } })),
    chunk({}, "tool_calls"),
  ],
  "a continuation without function": [
    chunk({ role: "assistant", ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS } }) }),
    chunk(call({ index: 0 })),
    chunk({}, "tool_calls"),
  ],
  "id, type and name on every piece": [
    chunk({
      role: "assistant",
      ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS.slice(0, 5) } }),
    }),
    chunk(call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS.slice(5) } })),
    chunk({}, "tool_calls"),
  ],
  "the same id on every piece, and no index": [
    chunk({ role: "assistant", ...call({ id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS.slice(0, 5) } }) }),
    chunk(call({ id: "c1", function: { arguments: ARGUMENTS.slice(5) } })),
    chunk({}, "tool_calls"),
  ],
  "arguments: null on the first piece": [
    chunk({ role: "assistant", ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: null } }) }),
    chunk(call({ index: 0, function: { arguments: ARGUMENTS } })),
    chunk({}, "tool_calls"),
  ],
  "finish_reason stop with tool calls": [
    chunk({ role: "assistant", ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: ARGUMENTS } }) }),
    chunk({}, "stop"),
  ],
  "arguments as an object": [
    chunk({
      role: "assistant",
      ...call({ index: 0, id: "c1", type: "function", function: { name: "weather", arguments: JSON.parse(ARGUMENTS) } }),
    }),
    chunk({}, "tool_calls"),
  ],
};

/** Streams that start well and break: the client must receive an error frame, and never a regular end. */
export const BROKEN_STREAMS: Record<string, string> = {
  "the end without a finish reason": data([ROLE, HELLO]),
  "[DONE] without a finish reason": data([ROLE, HELLO]) + DONE,
  "one of two choices unfinished": data([ROLE, withChoice(HELLO, (choice) => (choice["index"] = 1)), STOP]) + DONE,
  "an error frame": `${data([ROLE, HELLO])}data: {"error":{"message":"secret trouble","type":"server_error","code":500}}\n\n`,
  "an error event": `${data([ROLE, HELLO])}event: error\ndata: {"error":{"message":"secret trouble"}}\n\n`,
  "an error beside choices": data([
    ROLE,
    HELLO,
    JSON.stringify({ ...JSON.parse(chunk({}, "error")), error: { message: "secret trouble", code: 502 } }),
  ]),
  "finish_reason error": data([ROLE, HELLO, chunk({}, "error")]) + DONE,
  "finish_reason abort": data([ROLE, HELLO, chunk({}, "abort")]) + DONE,
  "an event that is not JSON": `${data([ROLE, HELLO])}data: {"id":\n\n${DONE}`,
  "an event that is not an object": `${data([ROLE, HELLO])}data: 7\n\n${DONE}`,
  "half an event at the end": (data([ROLE, HELLO]) + `data: ${STOP}`).slice(0, -20),
};

/** Responses that fail before the first chunk: an HTTP error status. */
export const FAILED_STREAMS: Record<string, { script: Script; status: number; code: string }> = {
  "an error as the first frame": {
    script: () => rawEvents('data: {"error":{"message":"secret trouble"}}\n\n'),
    status: 502,
    code: "upstream_error",
  },
  "an overload as the first frame": {
    script: () => rawEvents('data: {"error":{"message":"secret trouble","type":"overloaded_error"}}\n\n'),
    status: 503,
    code: "overloaded",
  },
  "nothing at all": { script: () => rawEvents(""), status: 502, code: "upstream_error" },
  "JSON instead of a stream": { script: () => Response.json(completion()), status: 502, code: "upstream_error" },
};

/** JSON responses with deviations, which must be repaired to "Hello world" in the correct shape. */
export const MENDED_COMPLETIONS: Record<string, object> = {
  "a good answer": completion(),
  "no id, object, created, model, usage": { choices: (completion() as { choices: unknown }).choices },
  "created as text": { ...completion(), created: "1700000000" },
  "created with a fraction": { ...completion(), created: 1_700_000_000.5 },
  "error: null": { ...completion(), error: null },
  "no logprobs and refusal": {
    ...completion(),
    choices: [{ index: 0, message: { role: "assistant", content: "Hello world" }, finish_reason: "stop" }],
  },
  "no index": { ...completion(), choices: [{ message: { role: "assistant", content: "Hello world" }, finish_reason: "stop" }] },
  "no role": { ...completion(), choices: [{ index: 0, message: { content: "Hello world" }, finish_reason: "stop" }] },
  "content in parts": completion({
    content: [
      { type: "text", text: "Hello" },
      { type: "text", text: " world" },
    ],
  }),
  "an unknown finish_reason": {
    ...completion(),
    choices: [{ index: 0, message: { role: "assistant", content: "Hello world" }, finish_reason: "eos" }],
  },
  "no finish_reason": { ...completion(), choices: [{ index: 0, message: { role: "assistant", content: "Hello world" } }] },
  "finish_reason: null": {
    ...completion(),
    choices: [{ index: 0, message: { role: "assistant", content: "Hello world" }, finish_reason: null }],
  },
  "token counts that are none": { ...completion(), usage: { prompt_tokens: 5 } },
  "token counts without a total": { ...completion(), usage: { prompt_tokens: 5, completion_tokens: 2 } },
  "fields of its own": { ...completion({ provider_note: 1 }), cost: 0.1, provider: "x", prompt_tokens_details: null },
};

export const FAILED_COMPLETIONS: Record<string, { script: Script; status: number; code: string }> = {
  "no choices": { script: () => Response.json({ ...completion(), choices: undefined }), status: 502, code: "upstream_error" },
  "empty choices": { script: () => Response.json({ ...completion(), choices: [] }), status: 502, code: "upstream_error" },
  "a choice without a message": {
    script: () => Response.json({ ...completion(), choices: [{ index: 0 }] }),
    status: 502,
    code: "upstream_error",
  },
  "an error with status 200": {
    script: () => Response.json({ error: { message: "secret trouble" } }),
    status: 502,
    code: "upstream_error",
  },
  "finish_reason error": {
    script: () =>
      Response.json({ ...completion(), choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "error" }] }),
    status: 502,
    code: "upstream_error",
  },
  "nesting without end": {
    script: () => new Response(`{"choices":[{"message":{"content":"x"}}],"x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
    status: 502,
    code: "upstream_error",
  },
  "text instead of JSON": { script: () => new Response("<html>secret trouble</html>"), status: 502, code: "upstream_error" },
  "an array": { script: () => Response.json([completion()]), status: 502, code: "upstream_error" },
};

const ONE = { type: "function", function: { name: "one", arguments: "{}" } };
const TWO = { type: "function", function: { name: "two", arguments: "{}" } };
/** Two tool calls, `one` and `two`, in deltas with every observed kind of numbering. */
export const PARALLEL_TOOL_CALLS: Record<string, object[][]> = {
  "well numbered": [
    [
      { index: 0, id: "a", ...ONE },
      { index: 1, id: "b", ...TWO },
    ],
  ],
  "without index": [
    [
      { id: "a", ...ONE },
      { id: "b", ...TWO },
    ],
  ],
  "without index, one after the other": [[{ id: "a", ...ONE }], [{ id: "b", ...TWO }]],
  "without index and id": [[ONE, TWO]],
  "without index, the id empty": [
    [
      { id: "", ...ONE },
      { id: "", ...TWO },
    ],
  ],
  "all with index 0": [
    [
      { index: 0, id: "a", ...ONE },
      { index: 0, id: "b", ...TWO },
    ],
  ],
  "all with index 0, and without id": [
    [
      { index: 0, ...ONE },
      { index: 0, ...TWO },
    ],
  ],
  "all with index 0 and an empty id, one after the other": [[{ index: 0, id: "", ...ONE }], [{ index: 0, id: "", ...TWO }]],
  "numbered from 1": [[{ index: 1, id: "a", ...ONE }], [{ index: 2, id: "b", ...TWO }]],
};
