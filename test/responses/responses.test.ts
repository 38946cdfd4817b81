import { afterAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import OpenAI from "openai";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { chunk, completion, events, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";
import { eventsIn, readResponse } from "./read-response.ts";
import { rejection, RESPONSES_CREDENTIAL, RESPONSE_USAGE, saying, startResponsesServer, type ResponsesScript } from "./responses-server.ts";

type Json = Readonly<Record<string, unknown>>;

const CALL = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_1",
  name: "weather",
  arguments: '{"city":"Oslo"}',
  from_the_future: true,
};
const REASONING = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "ZW5jcnlwdGVk" };

const SCRIPTS: Record<string, ResponsesScript> = {
  "o-chat": () => ({ items: [saying("Hello world")] }),
  "o-tools": () => ({ items: [REASONING, CALL] }),
  "o-incomplete": () => ({ items: [saying("Hello")], status: "incomplete" }),
  "o-cut": () => ({ items: [saying("Hello")], events: 4 }),
  "o-dead": () => ({ items: [saying("Hello")], events: 2 }),
  "o-context": () => rejection(400, "Your input exceeds the context window of this model.", "context_length_exceeded"),
  "o-uncounted": ({ body }) => {
    const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const head = { id: "resp_1", object: "response", created_at: 1, model: body["model"], error: null, incomplete_details: null };
    const written = [
      { type: "response.created", response: { ...head, status: "in_progress", output: [], usage: none } },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "x".repeat(4000) },
      { type: "response.completed", response: { ...head, status: "completed", output: [saying("x".repeat(4000))], usage: none } },
    ];
    const frames = written.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`);
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  },
  "o-unnamed": ({ body }) => {
    const response = { id: "resp_1", object: "response", created_at: 1, model: body["model"], status: "in_progress", output: [] };
    const written = [
      { type: "response.created", response },
      { type: 'response.completed\n\nevent: response.completed\ndata: {"type":"response.completed"}' },
    ];
    return new Response(written.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });
  },
  "o-image": () =>
    Response.json({ object: "response", status: "failed", error: { code: "invalid_image_url", message: "The image is gone." } }),
  "o-failed": () =>
    Response.json({
      object: "response",
      status: "failed",
      error: { code: "invalid_prompt", message: "org-1234567890ab may not ask this" },
    }),
  "o-event": () => {
    const event = { type: "error", code: "invalid_prompt", message: "org-1234567890ab may not ask this", sequence_number: 0 };
    return new Response(`event: error\ndata: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
  },
  "o-leaking": () => rejection(400, `bad request of ${RESPONSES_CREDENTIAL}`),
};

const weatherCall = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } };

const responses = startResponsesServer(SCRIPTS);
const chat = startMockUpstream({
  chat: ({ body }) =>
    body["stream"] === true
      ? events([chunk({ role: "assistant", content: "Hello" }), chunk({ content: " world" }), chunk({}, "stop"), usageChunk()])
      : Response.json(completion()),
  weather: () =>
    events([
      chunk({ role: "assistant", reasoning_content: "They want the weather." }),
      chunk({ content: "I look." }),
      chunk({ tool_calls: [weatherCall] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, "tool_calls"),
      usageChunk(),
    ]),
  patch: ({ body }) => {
    const [tool] = body["tools"] as [{ function: { name: string } }];
    const call = { id: "call_9", type: "function", function: { name: tool.function.name, arguments: '{"input":"*** Begin Patch"}' } };
    return Response.json(completion({ content: null, tool_calls: [call] }));
  },
  long: () => events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "length"), usageChunk()]),
  broken: () => events([chunk({ role: "assistant", content: "Hello" })]),
});

const PRICE = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
const PRICE_WITH_FEES = PRICE.replace("}", ", tool_fees: { shell: 0.03, code_interpreter: 0.03, collections_search: 0.01, mcp: 0 } }");
const model = (id: string, ...routes: readonly string[]): string =>
  `  - { id: ${id}, price: ${PRICE}, routes: [${routes.map((route, at) => `{ ${route}, priority: ${at + 1} }`).join(", ")}] }`;
const yaml = `endpoints: [responses]
upstreams:
  - { id: openai, dialect: openai, preset: openai, base_url: "${responses.baseUrl}", allow_private: true, credential: ${RESPONSES_CREDENTIAL} }
  - { id: local, dialect: openai, base_url: "${chat.baseUrl}", allow_private: true, credential: chat-canary }
models:
${Object.keys(SCRIPTS)
  .map((name) => model(name, `upstream: openai, model: ${name}`))
  .join("\n")}
${["chat", "weather", "patch", "long", "broken"].map((name) => model(name, `upstream: local, model: ${name}`)).join("\n")}
${model("elsewhere", "upstream: openai, model: o-dead", "upstream: local, model: chat")}
  - { id: dropping, parameters: { store: drop, temperature: drop }, price: ${PRICE}, routes: [{ upstream: openai, model: o-chat }] }
  - { id: limited, max_output_tokens: 200000, price: ${PRICE}, routes: [{ upstream: local, model: chat }] }
  - { id: hosted, price: ${PRICE_WITH_FEES}, routes: [{ upstream: openai, model: o-chat }] }
`;

const gateway = await startGateway({ yaml });
const { key: apiKey } = await gateway.makeKey();
const off = await startGateway({ yaml: yaml.replace("endpoints: [responses]\n", "") });
const { key: keyWhereOff } = await off.makeKey();

afterAll(async () => {
  await Promise.all([gateway.stop(), off.stop()]);
  await Promise.all([responses.stop(), chat.stop()]);
});

const openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey, maxRetries: 0 });

/** 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25 and 7 output tokens at 2, in millionths of a dollar. */
const COST = "0.0000268";

function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify({ input: "Hello!", ...body }),
  });
}

async function chargeOf(requestId: string | null | undefined): Promise<unknown> {
  const { charged, provenance } = await gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${requestId}`);
  return [charged, provenance];
}

async function streamOf(body: object): Promise<Json[]> {
  return eventsIn(await (await post({ stream: true, ...body })).text());
}

describe("the same format", () => {
  test("JSON is relayed, with the model's public name, and charged by the upstream's counts", async () => {
    const { data, request_id: id } = await openai.responses.create({ model: "o-chat", input: "Hello!" }).withResponse();
    expect(data).toMatchObject({ model: "o-chat", output_text: "Hello world", usage: RESPONSE_USAGE });
    expect(await chargeOf(id)).toEqual([COST, "measured"]);
  });

  test("the body is passed on except for its model and `store`, and without headers of the client or of the operator's organization", async () => {
    const body =
      '{"input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"role":"user","content":"Hi"}], "future":1.50}';
    const reply = await fetch(`${gateway.baseUrl}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}`, "x-codex-installation-id": "a" },
      body: body.replace("{", '{"model":"o-chat",'),
    });
    expect(reply.status).toBe(200);
    expect(responses.last().text).toBe(body.replace("{", '{"store":false,"model":"o-chat",'));
    expect(responses.last().headers.get("x-codex-installation-id")).toBeNull();
    expect(reply.headers.get("openai-organization")).toBeNull();
  });

  test("a stream is relayed event by event, with all fields, and charged", async () => {
    const reply = await post({ model: "o-tools", stream: true });
    const read = eventsIn(await reply.text());
    expect(read.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(read.at(-1)!["response"]).toMatchObject({ model: "o-tools", output: [REASONING, CALL], usage: RESPONSE_USAGE });
    expect(read[0]!["response"]).toMatchObject({ model: "o-tools" });
    expect(await chargeOf(reply.headers.get("x-request-id"))).toEqual([COST, "measured"]);
  });

  test("an incomplete response is charged, too", async () => {
    const reply = await post({ model: "o-incomplete", stream: true });
    expect(eventsIn(await reply.text()).at(-1)).toMatchObject({ type: "response.incomplete" });
    expect(await chargeOf(reply.headers.get("x-request-id"))).toEqual([COST, "measured"]);
  });

  test("a stream that is cut ends with one response.failed, with the ID of the response and a code that is repeated", async () => {
    const read = await streamOf({ model: "o-cut" });
    expect(read.slice(-2).map(({ type }) => type)).toEqual(["response.output_text.delta", "response.failed"]);
    expect(read.at(-1)).toMatchObject({
      sequence_number: 4,
      response: { id: "resp_upstream", status: "failed", error: { code: "server_error" } },
    });
  });

  test("the type of an event cannot forge another event", async () => {
    const reply = await post({ model: "o-unnamed", stream: true });
    expect([reply.status, await reply.text()]).toEqual([502, expect.not.stringContaining("response.completed")]);
  });

  test("web search without a price is not offered, and named in a header", async () => {
    const tools = [{ type: "function", name: "weather", strict: false, parameters: { type: "object" } }, { type: "web_search" }];
    const reply = await post({ model: "o-chat", tools });
    expect(responses.last().body["tools"]).toEqual([tools[0]]);
    expect(reply.headers.get("x-tollgate-dropped")).toBe("web_search");
  });

  test("web search is not offered in items and namespaces either, and a choice among no tools is dropped", async () => {
    const own = { type: "function", name: "weather", parameters: { type: "object" } };
    const nested = { type: "namespace", name: "n", description: "", tools: [own, { type: "web_search" }] };
    const item = { type: "additional_tools", role: "developer", tools: [{ type: "web_search" }, own] };
    const said = { role: "user", content: "Hi" };
    const reply = await post({ model: "o-chat", input: [item, said], tools: [nested] });
    expect(reply.headers.get("x-tollgate-dropped")).toBe("web_search");
    expect(responses.last().body).toMatchObject({ input: [{ ...item, tools: [own] }, said], tools: [{ ...nested, tools: [own] }] });
    await post({ model: "o-chat", tools: [{ type: "web_search" }], tool_choice: "required" });
    expect(Object.keys(responses.last().body).toSorted()).toEqual(["input", "model", "store"]);
  });

  test("`store: false` is sent even where the operator drops it from requests", async () => {
    expect((await post({ model: "dropping", store: false, temperature: 1 })).status).toBe(200);
    expect(Object.keys(responses.last().body).toSorted()).toEqual(["input", "model", "store"]);
  });

  test("counts of zero do not make text free of charge", async () => {
    const reply = await post({ model: "o-uncounted", stream: true });
    await reply.text();
    const [charged, provenance] = (await chargeOf(reply.headers.get("x-request-id"))) as [string, string];
    // A thousand tokens of output.
    expect([Number(charged) >= 0.002, provenance]).toEqual([true, "estimated"]);
  });

  test("a failure that the request has caused is a 400 after one attempt", async () => {
    const reply = await post({ model: "o-image" });
    expect([reply.status, reply.headers.get("x-tollgate-attempts"), await reply.text()]).toEqual([
      400,
      "1",
      expect.stringContaining("The image is gone."),
    ]);
  });

  test("reasoning of another provider is dropped, and its own stays", async () => {
    const said = { role: "user", content: "Hi" };
    const foreign = { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "Hm." }] };
    expect((await post({ model: "o-chat", input: [said, REASONING, foreign] })).status).toBe(200);
    expect(responses.last().body["input"]).toEqual([said, REASONING]);
  });

  test("an upstream's rejection is passed on unchanged, unless it names a credential", async () => {
    const rejected = await post({ model: "o-context" });
    expect([rejected.status, await rejected.json()]).toEqual([
      400,
      {
        error: {
          message: expect.stringContaining("context window"),
          type: "invalid_request_error",
          param: null,
          code: "context_length_exceeded",
        },
      },
    ]);
    const leaking = await (await post({ model: "o-leaking" })).text();
    expect(leaking).not.toContain(RESPONSES_CREDENTIAL);
  });

  test("a failed response or an error event that names the operator's account is replaced", async () => {
    const failed = await (await post({ model: "o-failed" })).text();
    const event = await (await post({ model: "o-event", stream: true })).text();
    for (const body of [failed, event]) {
      expect(body).toContain("Its reason names the operator's account");
      expect(body).not.toContain("org-");
    }
  });
});

describe("another format", () => {
  test("no placeholder of a long string gets out", async () => {
    const long = "x".repeat(300);
    const tools = [{ type: "function", name: "f", parameters: {} }];
    const bodies = [
      { input: [{ type: long }] },
      { input: [{ role: long, content: "Hi" }] },
      { tools, tool_choice: { type: "function", name: long } },
      { tools, tool_choice: { type: "function", name: "f", namespace: long } },
      { tools: [{ type: "function", name: long, parameters: {} }] },
      { tools: [{ type: long, name: "f" }] },
      { input: [{ type: "function_call", call_id: long, name: "f", arguments: "{}" }] },
    ];
    for (const body of bodies) {
      for (const dryRun of ["0", "1"]) {
        const reply = await post({ model: "chat", ...body }, { "x-dry-run": dryRun });
        expect(await reply.text()).not.toContain("omitted");
      }
      expect(JSON.stringify(chat.requests.map((request) => request.body))).not.toContain("omitted");
    }
  });

  test("JSON is translated", async () => {
    const { data, request_id: id } = await openai.responses
      .create({ model: "chat", input: "Hello!", instructions: "Be kind." })
      .withResponse();
    expect(data).toMatchObject({ object: "response", status: "completed", model: "chat", output_text: "Hello world", store: false });
    expect(data.usage).toEqual({
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
    });
    expect(chat.last().body["messages"]).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello!" },
    ]);
    expect(await chargeOf(id)).toEqual(["0.0000081", "measured"]);
  });

  test("the SDK's stream helper assembles reasoning, text and a call", async () => {
    const read = await streamOf({ model: "weather" });
    const { output } = readResponse(read);
    expect(output).toEqual([
      { id: expect.any(String), type: "reasoning", summary: [{ type: "summary_text", text: "They want the weather." }] },
      expect.objectContaining({ type: "message", content: [{ type: "output_text", text: "I look.", annotations: [], logprobs: [] }] }),
      {
        id: expect.any(String),
        type: "function_call",
        status: "completed",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Oslo"}',
      },
    ]);
    const assembled = await openai.responses.stream({ model: "weather", input: "Hello!" }).finalResponse();
    expect(assembled.output_text).toBe("I look.");
  });

  test("a custom tool in a namespace becomes a function, and its call comes back", async () => {
    const grammar = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
    const tools = [
      { type: "namespace", name: "files", description: "", tools: [{ type: "custom", name: "apply_patch", format: grammar }] },
    ];
    const reply = (await (await post({ model: "patch", tools })).json()) as Json;
    expect(reply["output"]).toEqual([
      {
        id: expect.any(String),
        type: "custom_tool_call",
        status: "completed",
        call_id: "call_9",
        name: "apply_patch",
        namespace: "files",
        input: "*** Begin Patch",
      },
    ]);
    expect(JSON.stringify(chat.last().body["tools"])).toContain("start: /.+/");
  });

  test("the finish reason `length` is incomplete, and a cut stream fails", async () => {
    expect((await streamOf({ model: "long" })).at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    });
    expect((await streamOf({ model: "broken" })).at(-1)).toMatchObject({
      type: "response.failed",
      response: { error: { code: "server_error" } },
    });
  });

  test("an upstream that fails before its first content fails over to another format", async () => {
    const reply = await post({ model: "elsewhere", stream: true });
    expect(readResponse(eventsIn(await reply.text()))["output"]).toHaveLength(1);
    expect(reply.headers.get("x-tollgate-upstream")).toBe("local");
  });
});

test("no reply repeats the placeholders of long texts, with which a body could pretend to be shorter than it is", async () => {
  const long = "x".repeat(400);
  const bodies = [
    { model: "chat", metadata: { note: long }, text: { format: { type: "json_schema", name: "a", schema: { description: long } } } },
    { model: "chat", tools: [{ type: long }] },
    { model: "chat", input: [{ type: long }] },
    { model: "chat", input: [{ role: "user", content: [{ type: long }] }] },
    { model: "chat", input: [{ type: "function_call_output", call_id: long, output: long }] },
    { model: "chat", input: [{ type: "function_call", call_id: long, name: long, arguments: "{}" }], tool_choice: { type: long } },
  ];
  for (const body of bodies) expect(await (await post(body)).text()).not.toContain("omitted from this outline");
});

describe("Cursor", () => {
  const send = (body: object): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: "chat", ...body }),
    });
  const flat = { type: "function", name: "weather", parameters: { type: "object" } };

  test("a Responses body at chat completions is answered with chunks", async () => {
    const input = [
      { role: "system", content: "Be kind." },
      { role: "user", content: [{ type: "input_text", text: "Hello!" }] },
    ];
    const tools = [flat, { type: "custom", name: "edit", format: { type: "text" } }];
    const reply = await send({
      stream: true,
      max_tokens: 9,
      stop: ["END"],
      stream_options: { include_usage: true },
      input,
      tools,
      reasoning: { effort: "low" },
    });
    const text = await reply.text();
    expect([reply.status, text.includes('"Hello"'), text.includes("prompt_tokens"), text.endsWith("data: [DONE]\n\n")]).toEqual([
      200,
      true,
      true,
      true,
    ]);
    expect(chat.last().body).toMatchObject({
      messages: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello!" },
      ],
      tools: [{ function: { name: "weather" } }, { function: { name: "edit" } }],
      reasoning_effort: "low",
      max_tokens: 9,
      stop: ["END"],
    });
  });

  test("flat and nested tools may be mixed, and the rest of the body stays as it is", async () => {
    const nested = { type: "function", function: { name: "time", parameters: { type: "object" } } };
    expect((await send({ messages: [{ role: "user", content: "Grüße" }], tools: [nested, flat], future: 1 })).status).toBe(200);
    const { name, parameters } = flat;
    expect(chat.last().body).toMatchObject({
      messages: [{ role: "user", content: "Grüße" }],
      tools: [nested, { type: "function", function: { name, parameters } }],
      future: 1,
    });
  });

  test("a Responses body that is not valid is rejected by name; where the Responses API is off, it lacks messages", async () => {
    const invalid = await send({ input: "Hi", previous_response_id: "resp_1" });
    expect([invalid.status, ((await invalid.json()) as { error: Json }).error["param"]]).toEqual([400, "previous_response_id"]);
    const elsewhere = await fetch(`${off.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${keyWhereOff}` },
      body: JSON.stringify({ model: "chat", input: "Hi" }),
    });
    expect([elsewhere.status, ((await elsewhere.json()) as { error: Json }).error["param"]]).toEqual([400, "messages"]);
  });
});

describe("rejections", () => {
  const cases: readonly [string, object, string][] = [
    ["search_parameters", { search_parameters: { mode: "on" } }, "changes the price"],
    ["reasoning.mode", { reasoning: { mode: "pro" } }, "changes the price"],
    ["tool_choice", { tool_choice: { type: "web_search" }, tools: [{ type: "web_search" }] }, "requires web search"],
    ["prompt_cache_options.ttl", { prompt_cache_options: { ttl: "12h" } }, 'must be "30m"'],
    [
      "input[0].content[0].prompt_cache_breakpoint.ttl",
      {
        input: [{ role: "user", content: [{ type: "input_text", text: "x", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } }] }],
      },
      'must be "30m"',
    ],
    ["input[0].content", { input: [{ role: "user", id: "msg_1" }] }, "is required"],
    ["input[0].role", { input: [{ type: "message", content: "Hi" }] }, "is required"],
    ["input[0].name", { input: [{ type: "function_call", call_id: "a", arguments: "{}" }] }, "is required"],
    ["input[0].result", { input: [{ type: "image_generation_call", id: "ig_1", status: "completed" }] }, "stores no images"],
    [
      "input[0].content[0].file_url",
      {
        input: [
          { role: "user", content: [{ type: "input_file", file_data: "data:text/plain;base64,QQ==", file_url: "https://a.test/b.pdf" }] },
        ],
      },
      "together with file_data",
    ],
    ["previous_response_id", { previous_response_id: "resp_1" }, "Send all items of the conversation"],
    ["store", { store: true }, "stores no responses"],
    ["background", { background: true }, "stores no responses"],
    ["conversation", { conversation: "conv_1" }, "stores no conversations"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "all callers would share"],
    ["service_tier", { service_tier: "priority" }, "changes the price"],
    ["tools[0]", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, "runs at the provider"],
    ["input[0]", { input: [{ type: "item_reference", id: "msg_1" }] }, "send the item itself"],
    ["input[0].content[0].file_id", { input: [{ role: "user", content: [{ type: "input_file", file_id: "file_1" }] }] }, "uploaded file"],
    ["input[0].tools[0]", { input: [{ type: "additional_tools", role: "developer", tools: [{ type: "mcp" }] }] }, "runs at the provider"],
    [
      "input[0].call_id",
      { model: "chat", input: [{ type: "function_call_output", call_id: "call_7", output: "" }] },
      "a call that is not in the input",
    ],
  ];

  const SHARED = "all callers of this gateway would share";
  const inShell = (environment: object): object => ({ model: "hosted", tools: [{ type: "shell", environment }] });
  const inInterpreter = (container: unknown): object => ({ model: "hosted", tools: [{ type: "code_interpreter", container }] });
  const asItem = (item: object): object => ({ input: [{ role: "user", content: "Hi" }, item] });
  const objectsAtProvider: typeof cases = [
    ["tools[0].environment", inShell({ type: "container_reference", container_id: "cntr_1" }), SHARED],
    ["tools[0].environment.file_ids", inShell({ type: "container_auto", file_ids: ["file_1"] }), SHARED],
    ["tools[0].environment.skills", inShell({ type: "container_auto", skills: [{ type: "inline" }] }), SHARED],
    ["tools[0].environment.container_id", inShell({ type: "local", container_id: "cntr_1" }), SHARED],
    ["tools[0].environment.skills[0].skill_id", inShell({ type: "local", skills: [{ skill_id: "s" }] }), SHARED],
    ["tools[0].container", inInterpreter("cntr_1"), SHARED],
    ["tools[0].container.skills", inInterpreter({ type: "auto", skills: [{ type: "skill_reference", skill_id: "s" }] }), SHARED],
    ["tools[0].container.memory_limit", inInterpreter({ type: "auto", memory_limit: "64g" }), "default options only"],
    ["tools[0].container.network_policy", inInterpreter({ type: "auto", network_policy: { type: "allowlist" } }), "default options only"],
    ["tools[0].collection_ids", { model: "hosted", tools: [{ type: "collections_search", collection_ids: ["c"] }] }, SHARED],
    ["tools[0].vector_store_ids", { tools: [{ type: "web_search", vector_store_ids: ["vs_1"] }] }, SHARED],
    ["tools[0].connector_id", { model: "hosted", tools: [{ type: "mcp", connector_id: "connector_gmail" }] }, SHARED],
    ["tools[0].tunnel_id", { model: "hosted", tools: [{ type: "mcp", tunnel_id: "tunnel_1" }] }, SHARED],
    ["tools[0].tools[0].container", { tools: [{ type: "namespace", name: "n", tools: [{ type: "shell", container: "cntr_1" }] }] }, SHARED],
    ["input[1].file_id", asItem({ type: "input_file", file_id: "file_1" }), SHARED],
    [
      "input[1].content[0].image_url.file_id",
      asItem({ role: "user", content: [{ type: "input_image", image_url: { file_id: "file_1" } }] }),
      SHARED,
    ],
    ["input[1].output.file_id", asItem({ type: "computer_call_output", call_id: "a", output: { file_id: "file_1" } }), SHARED],
    ["input[1].container_id", asItem({ type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1" }), SHARED],
    ["input[1].environment", asItem({ type: "shell_call", call_id: "a", environment: { type: "container_reference" } }), SHARED],
    [
      "input[1].tools[0].environment.file_ids",
      asItem({
        type: "additional_tools",
        role: "developer",
        tools: [{ type: "shell", environment: { type: "container_auto", file_ids: ["f"] } }],
      }),
      SHARED,
    ],
  ];

  for (const [param, body, says] of [...cases, ...objectsAtProvider]) {
    test(`${param} is named`, async () => {
      const reply = await post({ model: "o-chat", ...body });
      const { error } = (await reply.json()) as { error: Json };
      expect([reply.status, error["param"]]).toEqual([400, param]);
      expect(error["message"]).toContain(says);
    });
  }

  test("new containers, local skills and what only looks like an object at the provider are served", async () => {
    const named = { file_id: "a", skills: ["b"], container: "c" };
    const reply = await post({
      model: "hosted",
      tools: [
        { type: "code_interpreter", container: { type: "auto", file_ids: [], memory_limit: null } },
        { type: "shell", environment: { type: "container_auto" } },
        { type: "shell", environment: { type: "local", skills: [{ name: "pdf", description: "Reads PDFs.", path: "/skills/pdf" }] } },
        { type: "computer_use_preview", environment: "browser" },
        { type: "function", name: "open", parameters: { type: "object", properties: named } },
      ],
      input: [
        { role: "user", content: [{ type: "input_image", file_id: null, image_url: "data:image/png;base64,QQ==" }] },
        { role: "assistant", content: [{ type: "output_text", text: "a", annotations: [{ type: "file_citation", file_id: "file_1" }] }] },
        { type: "tool_search_call", call_id: "a", arguments: named },
        { type: "local_shell_call", call_id: "b", action: { type: "exec", command: ["ls"], env: named } },
        { type: "shell_call", call_id: "c", environment: { type: "local" } },
      ],
    });
    expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
  });

  test("a WebSocket is answered with 426, so that Codex falls back to POST", async () => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "eA==" };
    const request = get(`${gateway.baseUrl}/responses`, { headers });
    const [reply] = (await once(request, "response")) as [IncomingMessage];
    expect([reply.statusCode, reply.headers.upgrade, reply.headers.allow]).toEqual([426, "HTTP/1.1", "POST"]);
    request.destroy();
  });

  test("where it is off, the endpoint is unknown, with a hint", async () => {
    const reply = await fetch(`${off.baseUrl}/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${keyWhereOff}` },
      body: "{}",
    });
    expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining("tollgate endpoints enable responses")]);
  });

  test("credit that does not pay for the whole output rejects the request instead of shortening the response", async () => {
    await gateway.platform("POST", "/api/accounts", { id: "poor", name: "poor" });
    await gateway.platform("POST", "/api/accounts/poor/grants", { amount: "0.1", reference: "poor", reason: "test" });
    const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "poor", account: "poor", models: ["*"] });
    const authorization = `Bearer ${key}`;
    const spent = await post({ model: "limited" }, { authorization });
    expect([spent.status, spent.headers.get("x-should-retry"), await spent.json()]).toEqual([
      429,
      "false",
      { error: expect.objectContaining({ type: "insufficient_quota", code: "insufficient_credits" }) },
    ]);
    expect((await post({ model: "limited", max_output_tokens: 100 }, { authorization })).status).toBe(200);
  });
});
