import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenStream, expectGoodCompletion, expectGoodStream, textOf, type Chunk } from "./conformance.ts";
import {
  chunk,
  completion,
  configFor,
  events,
  GOOD_CHUNKS,
  rawEvents,
  startMockUpstream,
  usageChunk,
  type MockUpstream,
  type Script,
} from "./mock-upstream.ts";
import { startGateway, type RunningGateway } from "./start-gateway.ts";

/**
 * Each way in which real upstreams deviate from the format and some client fails on it (docs/wire-format.md): whatever the
 * upstream does, the caller gets an answer that every client takes, or an honest failure.
 */

const ROLE = chunk({ role: "assistant", content: "" });
const HELLO = chunk({ content: "Hello" });
const WORLD = chunk({ content: " world" });
const STOP = chunk({}, "stop");
const DONE = "data: [DONE]\n\n";

const data = (list: readonly string[]): string => list.map((event) => `data: ${event}\n\n`).join("");
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

/** Streams that deviate, and must come out as the good "Hello world". */
const MENDED_STREAMS: Record<string, string> = {
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
  "an empty delta before the role": data([chunk({}), ROLE, HELLO, WORLD, STOP]) + DONE,
};

const call = (more: object): object => ({ tool_calls: [more] });
const ARGUMENTS = '{"city":"Oslo"}';

/** Streams of one tool call, `weather({"city":"Oslo"})`, that deviate. */
const MENDED_TOOL_STREAMS: Record<string, string[]> = {
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

/** Streams that begin well and break: the caller must learn of it, in a frame, and never see an end. */
const BROKEN_STREAMS: Record<string, string> = {
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
  "an event that is not JSON": `${data([ROLE, HELLO])}data: {"id":\n\n${DONE}`,
  "an event that is no object": `${data([ROLE, HELLO])}data: 7\n\n${DONE}`,
  "half an event at the end": (data([ROLE, HELLO]) + `data: ${STOP}`).slice(0, -20),
};

/** Answers that fail before the first chunk: a real status. */
const FAILED_STREAMS: Record<string, { script: Script; status: number; code: string }> = {
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

/** JSON answers that deviate, and must come out with "Hello world" in the right shape. */
const MENDED_COMPLETIONS: Record<string, object> = {
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
  "token counts that are none": { ...completion(), usage: { prompt_tokens: 5 } },
  "token counts without a total": { ...completion(), usage: { prompt_tokens: 5, completion_tokens: 2 } },
  "fields of its own": { ...completion({ provider_note: 1 }), cost: 0.1, provider: "x", prompt_tokens_details: null },
};

const FAILED_COMPLETIONS: Record<string, { script: Script; status: number; code: string }> = {
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

const scripts: Record<string, Script> = {};
const names = new Map<string, string>();

/** Gives a case a model of its own, and the model's name. */
function modelFor(name: string, script: Script): string {
  const model = `case-${names.size}`;
  names.set(name, model);
  scripts[`up-${model}`] = script;
  return model;
}

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  mock = startMockUpstream(scripts);
  gateway = await startGateway({ yaml: configFor(mock.baseUrl, [...names.values()]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

function ask(model: string, more: object = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "Say hello world" }], ...more }),
  });
}

describe("a stream in which the upstream sends", () => {
  for (const [name, body] of Object.entries(MENDED_STREAMS)) {
    const model = modelFor(`stream: ${name}`, () => rawEvents(body));
    test(`${name} is good for every client`, async () => {
      const reply = await ask(model, { stream: true });
      expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(textOf(expectGoodStream(await reply.text(), model))).toBe("Hello world");
    });
  }

  const mislabelled = modelFor("stream: another content type", () => {
    const body = data([ROLE, HELLO, WORLD, STOP]) + DONE;
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  test("events under another content type is good for every client", async () => {
    const reply = await ask(mislabelled, { stream: true });
    expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(textOf(expectGoodStream(await reply.text(), mislabelled))).toBe("Hello world");
  });

  for (const [name, list] of Object.entries(MENDED_TOOL_STREAMS)) {
    const model = modelFor(`tool stream: ${name}`, () => events(list));
    test(`${name} is one tool call for every client`, async () => {
      const chunks = expectGoodStream(await (await ask(model, { stream: true })).text(), model);
      expect(assembleCall(chunks)).toEqual({ name: "weather", arguments: ARGUMENTS });
      expect(chunks.at(-1)!.choices[0]!.finish_reason).toBe("tool_calls");
    });
  }

  for (const [name, body] of Object.entries(BROKEN_STREAMS)) {
    const model = modelFor(`broken: ${name}`, () => rawEvents(body));
    test(`${name} ends in an error frame and never in an end`, async () => {
      const reply = await ask(model, { stream: true });
      expect(reply.status).toBe(200);
      const { chunks, error } = expectBrokenStream(await reply.text());
      expect(textOf(chunks)).toBe("Hello");
      expect(error).toMatchObject({ type: "server_error", code: "upstream_error", param: null });
      expect(error.message).not.toContain("secret trouble");
    });
  }

  for (const [name, { script, status, code }] of Object.entries(FAILED_STREAMS)) {
    const model = modelFor(`failed stream: ${name}`, script);
    test(`${name} before the first chunk is a ${status}`, async () => expectRefusal(await ask(model, { stream: true }), status, code));
  }

  const one = { type: "function", function: { name: "one", arguments: "{}" } };
  const two = { type: "function", function: { name: "two", arguments: "{}" } };
  const PARALLEL: Record<string, object[][]> = {
    "well numbered": [
      [
        { index: 0, id: "a", ...one },
        { index: 1, id: "b", ...two },
      ],
    ],
    "without index": [
      [
        { id: "a", ...one },
        { id: "b", ...two },
      ],
    ],
    "without index, one after the other": [[{ id: "a", ...one }], [{ id: "b", ...two }]],
    "without index and id": [[one, two]],
    "without index, the id empty": [
      [
        { id: "", ...one },
        { id: "", ...two },
      ],
    ],
    "all with index 0": [
      [
        { index: 0, id: "a", ...one },
        { index: 0, id: "b", ...two },
      ],
    ],
    "numbered from 1": [[{ index: 1, id: "a", ...one }], [{ index: 2, id: "b", ...two }]],
  };
  for (const [name, deltas] of Object.entries(PARALLEL)) {
    const parallel = modelFor(`parallel: ${name}`, () =>
      events([...deltas.map((calls) => chunk({ role: "assistant", tool_calls: calls })), chunk({}, "tool_calls")]),
    );
    test(`two tool calls ${name} stay two`, async () => {
      const chunks = expectGoodStream(await (await ask(parallel, { stream: true })).text(), parallel);
      const calls = chunks.flatMap(
        (each) => (each.choices[0]!.delta["tool_calls"] ?? []) as { index: number; function: { name: string } }[],
      );
      expect(calls.map(({ index, function: fn }) => [index, fn.name])).toEqual([
        [0, "one"],
        [1, "two"],
      ]);
    });
  }

  const custom = modelFor("custom tool", () =>
    events([
      chunk({ role: "assistant", tool_calls: [{ index: 0, id: "a", custom: { name: "run", input: "" } }] }),
      chunk({ tool_calls: [{ index: 0, custom: { input: "ls" } }] }),
      chunk({}, "tool_calls"),
    ]),
  );
  test("a call of a custom tool stays one", async () => {
    const text = await (await ask(custom, { stream: true })).text();
    expect(text).toContain('"type":"custom"');
    expect(text).not.toContain('"function"');
  });

  const reasoning = modelFor("reasoning", () =>
    events([chunk({ role: "assistant", reasoning: "Hm." }), chunk({ reasoning: "no", reasoning_content: "yes" }), HELLO, STOP]),
  );
  test("reasoning under another name has the name that clients read", async () => {
    const chunks = expectGoodStream(await (await ask(reasoning, { stream: true })).text(), reasoning);
    expect(chunks[0]!.choices[0]!.delta).toEqual({ role: "assistant", reasoning_content: "Hm." });
    expect(chunks[1]!.choices[0]!.delta).toEqual({ reasoning_content: "yes" });
  });
});

describe("token counts of a stream", () => {
  const apart = modelFor("usage apart", () => events(GOOD_CHUNKS));
  const inside = modelFor("usage inside", () =>
    events([ROLE, HELLO, WORLD, chunk({}, "stop", { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })]),
  );
  for (const [where, model] of Object.entries({ "in a chunk apart": apart, "in the last chunk": inside })) {
    test(`given ${where} come once, in a chunk apart, when asked for`, async () => {
      const chunks = expectGoodStream(await (await ask(model, { stream: true, stream_options: { include_usage: true } })).text(), model, {
        usage: true,
      });
      expect(chunks.at(-1)!.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 });
    });
    test(`given ${where} do not come when not asked for, but are asked of the upstream and logged`, async () => {
      const reply = await ask(model, { stream: true, stream_options: { include_usage: false, other: 1 } });
      expectGoodStream(await reply.text(), model);
      expect(mock.last().body["stream_options"]).toEqual({ include_usage: true, other: 1 });
      const requestId = reply.headers.get("x-request-id");
      await Bun.sleep(100);
      expect(gateway.logLines().find((line) => line["request_id"] === requestId)).toMatchObject({
        prompt_tokens: 5,
        completion_tokens: 2,
        end: "complete",
      });
    });
  }
});

describe("a JSON answer in which the upstream sends", () => {
  for (const [name, body] of Object.entries(MENDED_COMPLETIONS)) {
    const model = modelFor(`json: ${name}`, () => new Response(JSON.stringify(body), { headers: { "content-type": "text/plain" } }));
    test(`${name} is good for every client`, async () => {
      const reply = await ask(model);
      expect(reply.headers.get("content-type")).toBe("application/json");
      const good = expectGoodCompletion(await reply.text(), model);
      expect(good["choices"]).toMatchObject([{ index: 0, message: { role: "assistant", content: "Hello world" } }]);
    });
  }

  for (const [name, { script, status, code }] of Object.entries(FAILED_COMPLETIONS)) {
    const model = modelFor(`failed json: ${name}`, script);
    test(`${name} is a ${status}`, async () => expectRefusal(await ask(model), status, code));
  }

  const tools = modelFor("json tools", () =>
    Response.json(completion({ content: null, tool_calls: [{ function: { name: "weather", arguments: JSON.parse(ARGUMENTS) } }] })),
  );
  test("a tool call without id and type, its arguments an object, is whole for every client", async () => {
    const good = expectGoodCompletion(await (await ask(tools)).text(), tools);
    expect(good["choices"]).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { content: null, tool_calls: [{ type: "function", function: { name: "weather", arguments: ARGUMENTS } }] },
      },
    ]);
  });

  const exact =
    '{ "id":"x", "object":"chat.completion","created":1700000000,"model":"theirs","choices":[{"index":0,"message":{"role":"assistant","content":"\\u00e9","n":1.0},"finish_reason":"stop"}],"big":12345678901234567890}';
  const relayed = modelFor("exact bytes", () => new Response(exact));
  test("a good answer keeps its own bytes but for the model's name", async () => {
    expect(await (await ask(relayed)).text()).toBe(exact.replace("theirs", relayed));
  });
});

async function expectRefusal(reply: Response, status: number, code: string): Promise<void> {
  expect(reply.status).toBe(status);
  const { error } = (await reply.json()) as { error: { code: string; message: string } };
  expect(error.code).toBe(code);
  expect(error.message).not.toContain("secret trouble");
}

function assembleCall(chunks: readonly Chunk[]): { name: string; arguments: string } {
  const pieces = chunks.flatMap(
    (each) => (each.choices[0]!.delta["tool_calls"] ?? []) as { function: { name?: string; arguments?: string } }[],
  );
  return {
    name: pieces.map((piece) => piece.function.name ?? "").join(""),
    arguments: pieces.map((piece) => piece.function.arguments ?? "").join(""),
  };
}
