import { afterAll, describe, expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { chunk, completion, events, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";

/** Cursor's grammar tools, its paths and its names of models. `responses.test.ts` has its bodies. */

type Json = Readonly<Record<string, unknown>>;

const PATCH = '*** Begin Patch\n*** Update File: a.ts\n-"1"\n+"2"\n*** End Patch';
const EDIT = {
  type: "custom",
  name: "ApplyPatch",
  description: "Edits.",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
};
const READ = { type: "function", name: "Read", parameters: { type: "object" } };
const ARGS = JSON.stringify({ input: PATCH });

const call = (index: number, id: string, name: string, args: string): Json => ({
  index,
  id,
  type: "function",
  function: { name, arguments: args },
});
const more = (index: number, args: string): string => chunk({ tool_calls: [{ index, function: { arguments: args } }] });

const upstream = startMockUpstream({
  patch: ({ body }) => {
    const calls = [call(0, "call_1", "Read", '{"path":"a.ts"}'), call(1, "call_2", "ApplyPatch", ARGS)];
    if (body["stream"] !== true)
      return Response.json(completion({ content: null, tool_calls: calls.map(({ index: _index, ...each }) => each) }));
    return events([
      chunk({ role: "assistant", tool_calls: [call(0, "call_1", "Read", "")] }),
      more(0, '{"path":"a.ts"}'),
      chunk({ tool_calls: [call(1, "call_2", "ApplyPatch", "")] }),
      ...ARGS.split("").map((letter) => more(1, letter)),
      chunk({}, "tool_calls"),
      usageChunk(),
    ]);
  },
  whole: () => events([chunk({ role: "assistant", tool_calls: [call(0, "call_2", "ApplyPatch", ARGS)] }, "tool_calls"), usageChunk()]),
  cut: ({ body }) => {
    const cut = call(0, "call_2", "ApplyPatch", ARGS.slice(0, 40));
    if (body["stream"] !== true)
      return Response.json({
        ...completion(),
        choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: [cut] }, finish_reason: "length" }],
      });
    return events([chunk({ role: "assistant", tool_calls: [cut] }, "length"), usageChunk()]);
  },
  plain: () => Response.json(completion()),
});

const route = (name: string): string => `routes: [{ upstream: local, model: ${name} }]`;
const gateway = await startGateway({
  yaml: `endpoints: [responses]
compatibility: litellm
upstreams:
  - { id: local, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
models:
  - { id: patch, price: { input_per_million: 1, output_per_million: 2 }, ${route("patch")} }
  - { id: whole, price: { input_per_million: 1, output_per_million: 2 }, ${route("whole")} }
  - { id: cut, price: { input_per_million: 1, output_per_million: 2 }, ${route("cut")} }
  - { id: gpt, price: { input_per_million: 1, output_per_million: 2 }, ${route("plain")} }
  - { id: gpt-fast, price: { input_per_million: 10, output_per_million: 20 }, routes: [{ upstream: local, model: plain, defaults: { reasoning_effort: low } }] }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const base = gateway.baseUrl.replace(/\/v1$/, "");

function send(body: object, path = "/v1/chat/completions", apiKey = key): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
  return fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify({ model: "patch", ...body }) });
}

/** The calls of a stream, assembled as an OpenAI client does, and the finish reason after them. */
async function callsIn(reply: Response): Promise<unknown> {
  const calls: { id?: string; name?: string; args: string }[] = [];
  let reason: unknown;
  for (const [, data] of (await reply.text()).matchAll(/^data: (\{.*)$/gm)) {
    const [choice] = (JSON.parse(data!) as { choices: { delta: { tool_calls?: Json[] }; finish_reason: unknown }[] }).choices;
    for (const { index, id, function: called } of choice?.delta.tool_calls ?? []) {
      expect(reason).toBeUndefined();
      const known = (calls[Number(index)] ??= { args: "" });
      const { name, arguments: args } = called as { name?: string; arguments?: string };
      Object.assign(known, id !== undefined && { id }, name !== undefined && { name });
      known.args += args ?? "";
    }
    reason = choice?.finish_reason ?? reason;
  }
  return [calls, reason];
}

const EXPECTED = [
  { id: "call_1", name: "Read", args: '{"path":"a.ts"}' },
  { id: "call_2", name: "ApplyPatch", args: PATCH },
];

describe("a grammar tool", () => {
  const bodies: Readonly<Record<string, object>> = {
    "a Responses body": { input: "Edit it.", tools: [READ, EDIT] },
    "messages with flat tools": { messages: [{ role: "user", content: "Edit it." }], tools: [READ, EDIT] },
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`in ${name} becomes a function, and its call comes back as plain text`, async () => {
      expect(await callsIn(await send({ stream: true, ...body }))).toEqual([EXPECTED, "tool_calls"]);
      const [read, edit] = upstream.last().body["tools"] as { type: string; function: Json }[];
      expect([read!.function["name"], edit!.type, edit!.function["name"]]).toEqual(["Read", "function", "ApplyPatch"]);
      expect(edit!.function["description"]).toContain("start: /.+/");
      const { choices } = (await (await send(body)).json()) as { choices: [{ message: { tool_calls: { id: string; function: Json }[] } }] };
      expect(choices[0].message.tool_calls.map(({ id, function: called }) => [id, called["name"], called["arguments"]])).toEqual(
        EXPECTED.map(({ id, name: tool, args }) => [id, tool, args]),
      );
    });

    test(`in ${name} may be called in one chunk with the finish reason`, async () => {
      expect(await callsIn(await send({ stream: true, ...body, model: "whole" }))).toEqual([[{ ...EXPECTED[1]! }], "tool_calls"]);
    });
  }

  test("whose call is cut by the output limit has no text", async () => {
    const body = { model: "cut", input: "Edit it.", tools: [EDIT] };
    expect(await callsIn(await send({ ...body, stream: true }))).toEqual([[{ ...EXPECTED[1]!, args: "" }], "length"]);
    const { choices } = (await (await send(body)).json()) as { choices: [{ message: { tool_calls: { function: Json }[] } }] };
    expect(choices[0].message.tool_calls[0]!.function["arguments"]).toBe("");
  });

  test("that was called is in the history as plain text, and upstreams receive arguments in JSON", async () => {
    const input = [
      { role: "user", content: "Edit it." },
      { type: "function_call", call_id: "call_2", name: "ApplyPatch", arguments: PATCH },
      { type: "function_call_output", call_id: "call_2", output: "Done" },
    ];
    const called = { id: "call_2", type: "function", function: { name: "ApplyPatch", arguments: PATCH } };
    const messages = [
      { role: "user", content: "Edit it." },
      { role: "assistant", content: null, tool_calls: [called] },
      { role: "tool", tool_call_id: "call_2", content: "Done" },
    ];
    const sent = { ...called, function: { name: "ApplyPatch", arguments: ARGS } };
    for (const history of [{ input }, { messages }]) {
      expect((await send({ ...history, model: "gpt", tools: [EDIT], tool_choice: { type: "custom", name: "ApplyPatch" } })).status).toBe(
        200,
      );
      const { messages: received, tool_choice: choice } = upstream.last().body as { messages: Json[]; tool_choice: unknown };
      expect(received[1]!["tool_calls"]).toEqual([sent]);
      expect(choice).toEqual({ type: "function", function: { name: "ApplyPatch" } });
    }
  });
});

describe("a body with a grammar tool", () => {
  const bodies: readonly [string, object][] = [
    ["no messages", {}],
    ["a text as messages", { messages: "x" }],
    ["an object as messages", { messages: {} }],
    ["a message that is null", { messages: [null] }],
    ["a call that is null", { messages: [{ role: "assistant", tool_calls: [null] }] }],
    ["a call with a number as arguments", { messages: [{ role: "assistant", tool_calls: [call(0, "c", "ApplyPatch", 1 as never)] }] }],
    ["a tool that is null", { messages: [{ role: "user", content: "Hi" }], tools: [EDIT, null] }],
    ["a number as input", { input: 1 }],
  ];
  test.each(bodies)("and %s is the client's mistake", async (_, body) => {
    const reply = await send({ tools: [EDIT], ...body });
    expect([reply.status, ((await reply.json()) as { error: Json }).error["type"]]).toEqual([400, "invalid_request_error"]);
  });
});

test("a grammar tool whose name is none of a function has the same name in its definition, in the history and as the choice", async () => {
  const name = "Apply patch: v2";
  const tools = [{ ...EDIT, name }];
  const wrapped = { input: PATCH };
  const histories: readonly object[] = [
    {
      input: [
        { type: "function_call", call_id: "c", name, arguments: PATCH },
        { type: "function_call_output", call_id: "c", output: "Done" },
      ],
    },
    {
      input: [
        { type: "function_call", call_id: "c", name, arguments: wrapped },
        { type: "function_call_output", call_id: "c", output: "Done" },
      ],
    },
    ...[PATCH, wrapped].map((args) => ({
      messages: [
        { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name, arguments: args } }] },
        { role: "tool", tool_call_id: "c", content: "Done" },
      ],
    })),
  ];
  for (const history of histories) {
    const reply = await send({ ...history, model: "gpt", tools, tool_choice: { type: "custom", name } });
    expect([reply.status, reply.ok ? "" : await reply.text()]).toEqual([200, ""]);
    const {
      messages,
      tools: sent,
      tool_choice: choice,
    } = upstream.last().body as {
      messages: Json[];
      tools: [{ function: Json }];
      tool_choice: unknown;
    };
    const { name: usable } = sent[0].function;
    expect(usable).toMatch(/^[\w-]{1,64}$/);
    expect(choice).toEqual({ type: "function", function: { name: usable } });
    expect(messages[0]!["tool_calls"]).toMatchObject([{ function: { name: usable, arguments: ARGS } }]);
  }
});

test("a Responses body is served at the path of LiteLLM, too", async () => {
  const reply = await send({ model: "gpt", input: "Hi" }, "/chat/completions");
  expect([reply.status, ((await reply.json()) as Json)["object"]]).toEqual([200, "chat.completion"]);
});

describe("a model whose name has a suffix", () => {
  const hi = { messages: [{ role: "user", content: "Hi" }] };

  test("has its own price and defaults", async () => {
    const plain = await send({ ...hi, model: "gpt" });
    const fast = await send({ ...hi, model: "gpt-fast" });
    expect(Number(fast.headers.get("x-tollgate-cost"))).toBeCloseTo(10 * Number(plain.headers.get("x-tollgate-cost")), 9);
    expect(upstream.last().body["reasoning_effort"]).toBe("low");
  });

  test("is never served as the model without it: it needs its own declaration and permission", async () => {
    const { key: narrow } = await gateway.platform<{ key: string }>("POST", "/api/keys", {
      name: "n",
      account: "default",
      models: ["gpt"],
    });
    expect((await send({ ...hi, model: "gpt" }, undefined, narrow)).status).toBe(200);
    for (const [model, apiKey] of [
      ["gpt-fast", narrow],
      ["gpt-thinking", key],
    ] as const) {
      const reply = await send({ ...hi, model }, undefined, apiKey);
      expect([reply.status, ((await reply.json()) as { error: Json }).error["code"]]).toEqual([403, "model_not_allowed"]);
    }
  });
});
