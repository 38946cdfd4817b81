import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectBrokenStream, expectGoodCompletion, expectGoodStream, textOf, type Chunk } from "../support/upstreams/conformance.ts";
import {
  ARGUMENTS,
  BROKEN_STREAMS,
  data,
  DONE,
  FAILED_COMPLETIONS,
  FAILED_STREAMS,
  HELLO,
  MENDED_COMPLETIONS,
  MENDED_STREAMS,
  MENDED_TOOL_STREAMS,
  PARALLEL_TOOL_CALLS,
  ROLE,
  STOP,
  WORLD,
} from "../support/upstreams/deviations.ts";
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
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** For every format deviation (deviations.ts), the client receives a response that every SDK accepts, or an error. */

const scripts: Record<string, Script> = {};
const names = new Map<string, string>();

/** Creates a model for a case, and returns its name. */
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
    test(`${name} is valid for every client`, async () => {
      const reply = await ask(model, { stream: true });
      expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(textOf(expectGoodStream(await reply.text(), model))).toBe("Hello world");
    });
  }

  const mislabelled = modelFor("stream: another content type", () => {
    const body = data([ROLE, HELLO, WORLD, STOP]) + DONE;
    return new Response(body, { headers: { "content-type": "application/json" } });
  });
  test("events with another content type is valid for every client", async () => {
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
    test(`${name} ends in an error frame and without [DONE]`, async () => {
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

  for (const [name, deltas] of Object.entries(PARALLEL_TOOL_CALLS)) {
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
  test("reasoning in another field is renamed to the field that clients read", async () => {
    const chunks = expectGoodStream(await (await ask(reasoning, { stream: true })).text(), reasoning);
    expect(chunks[0]!.choices[0]!.delta).toEqual({ role: "assistant", reasoning_content: "Hm." });
    expect(chunks[1]!.choices[0]!.delta).toEqual({ reasoning_content: "yes" });
  });
});

describe("usage in a stream", () => {
  const apart = modelFor("usage apart", () => events(GOOD_CHUNKS));
  const inside = modelFor("usage inside", () =>
    events([ROLE, HELLO, WORLD, chunk({}, "stop", { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } })]),
  );
  for (const [where, model] of Object.entries({ "in a chunk apart": apart, "in the last chunk": inside })) {
    test(`sent ${where} is in one separate chunk where the client requests it`, async () => {
      const chunks = expectGoodStream(await (await ask(model, { stream: true, stream_options: { include_usage: true } })).text(), model, {
        usage: true,
      });
      expect(chunks.at(-1)!.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 });
    });
    test(`sent ${where} is omitted if the client does not request it, but requested from the upstream and logged`, async () => {
      const reply = await ask(model, { stream: true, stream_options: { include_usage: false, other: 1 } });
      expectGoodStream(await reply.text(), model);
      expect(mock.last().body["stream_options"]).toEqual({ include_usage: true, other: 1 });
      const requestId = reply.headers.get("x-request-id");
      expect(await waitFor(() => gateway.logLines().find((line) => line["request_id"] === requestId))).toMatchObject({
        prompt_tokens: 5,
        completion_tokens: 2,
        end: "complete",
      });
    });
  }
});

describe("what a gateway behind this one charges the operator", () => {
  const counts = {
    prompt_tokens: 5,
    completion_tokens: 2,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 1 },
    server_tool_use: null,
  };
  const usage = { ...counts, cost: 0.95, cost_details: { upstream_inference_cost: 19 }, is_byok: true };
  const last = chunk({}, "stop");
  const model = modelFor("operator's cost", () => Response.json(completion({}, { provider: "Theirs", usage })));
  const streamed = modelFor("operator's cost, streamed", () => events([ROLE, HELLO, WORLD, last, usageChunk(usage)]));
  const beside = modelFor("operator's cost, beside the end", () => events([ROLE, HELLO, WORLD, chunk({}, "stop", { usage })]));

  test("is removed from a JSON response, and everything else is passed on", async () => {
    const body = expectGoodCompletion(await (await ask(model)).text(), model);
    expect(body).toMatchObject({ provider: "Theirs" });
    expect(body["usage"]).toEqual(counts);
  });

  for (const name of [streamed, beside]) {
    test(`is removed from a stream (${name === beside ? "beside the end" : "in a chunk apart"}), and its receipt has the price of the caller`, async () => {
      const text = await (await ask(name, { stream: true, stream_options: { include_usage: true } })).text();
      const usageOfStream = expectGoodStream(text, name, { usage: true }).at(-1)!;
      expect(usageOfStream.usage).toEqual(counts);
      expect(usageOfStream).toHaveProperty("receipt.cost");
      expect(text).not.toMatch(/0\.95|cost_details|is_byok/);
    });
  }
});

describe("a JSON response in which the upstream sends", () => {
  for (const [name, body] of Object.entries(MENDED_COMPLETIONS)) {
    const model = modelFor(`json: ${name}`, () => new Response(JSON.stringify(body), { headers: { "content-type": "text/plain" } }));
    test(`${name} is valid for every client`, async () => {
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
  test("a tool call without id and type, with an object as arguments, is complete for every client", async () => {
    const good = expectGoodCompletion(await (await ask(tools)).text(), tools);
    expect(good["choices"]).toMatchObject([
      {
        finish_reason: "tool_calls",
        message: { content: null, tool_calls: [{ type: "function", function: { name: "weather", arguments: ARGUMENTS } }] },
      },
    ]);
  });

  const exact =
    '{ "id":"x", "object":"chat.completion","created":1700000000,"model":"theirs","choices":[{"index":0,"message":{"role":"assistant","content":"\\u00e9","n":1.0},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},"big":12345678901234567890}';
  const relayed = modelFor("exact bytes", () => new Response(exact));
  test("a valid response keeps its own bytes except for the model name", async () => {
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
