import { afterAll, describe, expect, test } from "bun:test";
import { CREDENTIAL as ANTHROPIC_CREDENTIAL, startAnthropicServer } from "../dialects/anthropic-server.ts";
import { text as converseText } from "../dialects/converse-answers.ts";
import { CREDENTIAL as BEDROCK_CREDENTIAL, startConverseServer } from "../dialects/converse-server.ts";
import { answerOf as geminiAnswer } from "../dialects/gemini-answers.ts";
import { CREDENTIAL as GEMINI_CREDENTIAL, startGeminiServer } from "../dialects/gemini-server.ts";
import { eventsOf, redacted, text, thinking, wireOf } from "../dialects/messages-answers.ts";
import { messagesFormat } from "../../src/gateway/formats/messages/messages-format.ts";
import { responsesFormat } from "../../src/gateway/formats/responses/responses-format.ts";
import { readMessage } from "../messages/read-message.ts";
import { eventsIn, readResponse } from "../responses/read-response.ts";
import { RESPONSES_CREDENTIAL, saying, startResponsesServer, type ResponsesScript } from "../responses/responses-server.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import {
  chunk,
  completion,
  events,
  GOOD_CHUNKS,
  manualStream,
  rawEvents,
  startMockUpstream,
  TEST_PRICE,
  usageChunk,
} from "../support/upstreams/mock-upstream.ts";

/** Bugs that other gateways have had with coding agents, as far as no other test covers them: `known-bugs.test.ts` has the list. */

type Json = Readonly<Record<string, unknown>>;

const SIGNATURE = "EqQBCkYIBxgCKkD+/x==";
const responseHead = (status: string): Json => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status,
  error: null,
  incomplete_details: null,
});
const delta = (words: string): Json => ({
  type: "response.output_text.delta",
  item_id: "msg_upstream",
  output_index: 0,
  content_index: 0,
  delta: words,
});

/** A stream of the Responses API with these events after its start. */
const responseEvents =
  (...list: readonly Json[]): ResponsesScript =>
  () => {
    const started = { type: "response.created", response: { ...responseHead("in_progress"), output: [], usage: null } };
    const frames = [started, ...list].map(
      (event, at) => `event: ${String(event["type"])}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`,
    );
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  };

const usage = { input_tokens: 10, output_tokens: 4, total_tokens: 14 };
const call = (index: number, called: Json, more: Json = {}): Json => ({ tool_calls: [{ index, ...more, function: called }] });
const opened = { id: "call_1", type: "function" };
const paused = manualStream();

const claude = startAnthropicServer({
  claude: () => ({ content: [text("Hello")] }),
  "claude-redacted": () => ({ content: [redacted("b3BhcXVl"), text("Hello")] }),
});
const google = startGeminiServer({ "gemini-3.5-flash": () => [geminiAnswer([{ text: "Sunny." }]), geminiAnswer([{ text: "" }], "STOP")] });
const NOVA = "amazon.nova-pro-v1:0";
const bedrock = startConverseServer({ [NOVA]: () => ({ content: [converseText("Hello")] }) });
const responses = startResponsesServer({
  shared: () => ({ items: [saying("Hello")] }),
  failed: responseEvents(delta("Hello"), {
    type: "response.failed",
    response: { ...responseHead("failed"), error: { code: "server_error", message: "no" }, output: [], usage },
  }),
  limited: responseEvents(delta("Hello"), {
    type: "error",
    code: "rate_limit_exceeded",
    message: "Rate limit reached. Please try again in 11s.",
    param: null,
  }),
  uncounted: responseEvents(delta("Hello"), {
    type: "response.completed",
    response: { ...responseHead("completed"), output: [saying("Hello")] },
  }),
});
const chat = startMockUpstream({
  plain: ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  nameless: () =>
    events([
      chunk({ role: "assistant", content: null }),
      chunk(call(0, { name: "weather", arguments: "" }, opened)),
      chunk(call(0, { name: null, arguments: '{"city":' }, { id: null, type: null })),
      chunk(call(0, { name: null, arguments: '"Oslo"}' }, { id: null, type: null })),
      chunk({}, "tool_calls"),
      usageChunk(),
    ]),
  "no-arguments": () =>
    events([chunk({ role: "assistant" }), chunk(call(0, { name: "weather" }, opened)), chunk({}, "tool_calls"), usageChunk()]),
  mixed: () =>
    events([
      chunk({ role: "assistant", content: "", reasoning_content: "" }),
      chunk(
        { reasoning_content: "Hm.", content: "I look.", ...call(0, { name: "weather", arguments: '{"city":"Oslo"}' }, opened) },
        "tool_calls",
      ),
      chunk({ content: "" }),
      usageChunk(),
    ]),
  paused: () => rawEvents(paused.stream),
});

const model = (id: string, upstream: string, more = ""): string =>
  `  - { id: ${id}, routes: [{ upstream: ${upstream}, model: ${id} }], price: ${TEST_PRICE}${more} }`;
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: claude, dialect: anthropic, base_url: "${claude.baseUrl}", allow_private: true, credential: ${ANTHROPIC_CREDENTIAL} }
  - { id: google, dialect: gemini, base_url: "${google.baseUrl}", allow_private: true, credential: ${GEMINI_CREDENTIAL} }
  - { id: openai, dialect: openai, preset: openai, base_url: "${responses.baseUrl}", allow_private: true, credential: ${RESPONSES_CREDENTIAL} }
  - { id: openai-2, dialect: openai, preset: openai, base_url: "${responses.baseUrl}", allow_private: true, credential: ${RESPONSES_CREDENTIAL} }
  - { id: claude-2, dialect: anthropic, base_url: "${claude.baseUrl}", allow_private: true, credential: ${ANTHROPIC_CREDENTIAL} }
  - { id: bedrock, dialect: bedrock, base_url: "${bedrock.baseUrl}", allow_private: true, credential: ${BEDROCK_CREDENTIAL} }
  - { id: local, dialect: openai, base_url: "${chat.baseUrl}", allow_private: true }
models:
${["claude", "claude-redacted"].map((id) => model(id, "claude")).join("\n")}
  - { id: nova, routes: [{ upstream: bedrock, model: "${NOVA}" }], price: ${TEST_PRICE} }
  - { id: sticky-responses, sticky: true, routes: [{ upstream: openai, model: shared }, { upstream: openai-2, model: shared }], price: ${TEST_PRICE} }
  - { id: sticky-messages, sticky: true, routes: [{ upstream: claude, model: claude }, { upstream: claude-2, model: claude }], price: ${TEST_PRICE} }
  - { id: short, max_output_tokens: 1000, routes: [{ upstream: claude, model: claude }], price: ${TEST_PRICE} }
${model("gemini-3.5-flash", "google")}
${["failed", "limited", "uncounted"].map((id) => model(id, "openai")).join("\n")}
${["plain", "nameless", "no-arguments", "mixed", "paused"].map((id) => model(id, "local")).join("\n")}
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await Promise.all([claude.stop(), google.stop(), bedrock.stop(), responses.stop(), chat.stop()]);
});

function send(path: string, body: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
  return fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body });
}

const HELLO = { max_tokens: 4000, messages: [{ role: "user", content: "Hello!" }] };
const postMessage = (body: object): Promise<Response> => send("/messages", JSON.stringify({ ...HELLO, ...body }));
const postResponse = (body: object): Promise<Response> => send("/responses", JSON.stringify({ input: "Hello!", ...body }));
const streamMessage = async (body: object): Promise<ReturnType<typeof readMessage>> =>
  readMessage(eventsIn(await (await postMessage({ stream: true, ...body })).text()).map((event) => ({ ...event })));
const streamResponse = async (body: object): Promise<Json[]> => eventsIn(await (await postResponse({ stream: true, ...body })).text());

const WEATHER = { name: "weather", description: "Looks.", input_schema: { type: "object", properties: { city: { type: "string" } } } };
const USE = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };

describe("thinking", () => {
  test("thinking and its signatures reach Anthropic byte for byte, and `thinking` with them", async () => {
    const body = `{"model":"claude","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":2000},"tools":[${JSON.stringify(WEATHER)}],"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":[{"signature":"${SIGNATURE}","thinking":"Caf\\u00e9 \\/ tea","type":"thinking"},{"type":"redacted_thinking","data":"b3BhcXVl"},${JSON.stringify(USE)}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"rain"}]}]}`;
    expect((await send("/messages", body)).status).toBe(200);
    expect(claude.received.at(-1)!.text).toBe(body);
  });

  test("redacted thinking reaches the client, streamed and whole", async () => {
    const sent = wireOf(eventsOf([redacted("b3BhcXVl"), text("Hello")]));
    const streamed = await (await postMessage({ model: "claude-redacted", stream: true })).text();
    expect(streamed).toBe(sent.replace('"model":"claude-sonnet-4-5-20250929"', '"model":"claude-redacted"'));
    const { content } = (await (await postMessage({ model: "claude-redacted" })).json()) as Json;
    expect(content).toEqual([redacted("b3BhcXVl"), text("Hello")]);
  });

  test("is off where the model's limit leaves less than the smallest budget", async () => {
    expect((await postMessage({ model: "short", thinking: { type: "enabled", budget_tokens: 2000 } })).status).toBe(200);
    expect(claude.last()).toMatchObject({ max_tokens: 1000, thinking: { type: "disabled" } });
  });

  test("Gemini gets a thought signature for each step of a tool loop, whichever endpoint it comes from", async () => {
    const loop = [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: [thinking("Hm.", "tollgate"), USE] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "rain" }] },
    ];
    expect((await postMessage({ model: "gemini-3.5-flash", tools: [WEATHER], messages: loop })).status).toBe(200);
    const { name, input_schema: parameters } = WEATHER;
    const input = [
      { role: "user", content: "Weather?" },
      { type: "function_call", call_id: "call_1", name, arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
    ];
    const tools = [{ type: "function", name, parameters, strict: false }];
    expect((await postResponse({ model: "gemini-3.5-flash", tools, input })).status).toBe(200);
  });
});

describe("sessions and caches", () => {
  test("requests of one session stay with one upstream, whichever endpoint they come from", async () => {
    const endpoints = [
      { path: "/responses", header: "session-id", body: { model: "sticky-responses", input: "Hello!" } },
      { path: "/messages", header: "x-claude-code-session-id", body: { model: "sticky-messages", ...HELLO } },
    ];
    for (const { path, header, body } of endpoints) {
      const used = new Set<string>();
      for (let session = 0; session < 12; session++) {
        const upstreams: (string | null)[] = [];
        for (const _ of "123") {
          const reply = await send(path, JSON.stringify(body), { [header]: `session-${session}` });
          upstreams.push(reply.headers.get("x-tollgate-upstream"));
        }
        expect(upstreams).toEqual(upstreams.map(() => upstreams[0]!));
        used.add(upstreams[0]!);
      }
      // Otherwise every request would go to one upstream, with or without a session.
      expect({ path, count: used.size }).toEqual({ path, count: 2 });
    }
  });

  test("a breakpoint is a cache point on Bedrock, whatever its fields", async () => {
    const marked = { type: "text", text: "Be kind.", cache_control: { type: "ephemeral", scope: "global" } };
    const content = [{ type: "text", text: "Hello!", cache_control: null }];
    const body = { model: "nova", max_tokens: 100, system: [marked], messages: [{ role: "user", content }] };
    expect((await send("/messages", JSON.stringify(body), { "anthropic-beta": "prompt-caching-scope-2026-01-05" })).status).toBe(200);
    expect(bedrock.last()).toMatchObject({ system: [{ text: "Be kind." }, { cachePoint: { type: "default" } }] });
    expect(bedrock.last()["messages"]).toEqual([{ role: "user", content: [{ text: "Hello!" }] }]);
  });
});

describe("tools", () => {
  test("later pieces of a call without a name belong to the call", async () => {
    expect((await streamMessage({ model: "nameless" })).content).toEqual([{ ...USE, id: "call_1" }]);
    const { output } = readResponse(await streamResponse({ model: "nameless" }));
    expect(output).toEqual([
      expect.objectContaining({ type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }),
    ]);
  });

  test("a call without arguments has an empty object", async () => {
    expect((await streamMessage({ model: "no-arguments" })).content).toEqual([{ ...USE, id: "call_1", input: {} }]);
    const { output } = readResponse(await streamResponse({ model: "no-arguments" }));
    expect(output).toEqual([expect.objectContaining({ type: "function_call", arguments: "{}" })]);
  });

  test("one chunk may have reasoning, text, a call and the end, and empty pieces open nothing", async () => {
    expect(await streamMessage({ model: "mixed" })).toMatchObject({
      stopReason: "tool_use",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "I look." },
        { ...USE, id: "call_1" },
      ],
    });
    const { output } = readResponse(await streamResponse({ model: "mixed" }));
    expect((output as readonly Json[]).map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("results follow their calls directly, before the text beside them", async () => {
    const uses = ["toolu_1", "toolu_2"].map((id) => ({ ...USE, id }));
    const results = ["toolu_2", "toolu_1"].map((id) => ({ type: "tool_result", tool_use_id: id, content: `${id} is wet` }));
    const asked = [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: uses },
      { role: "user", content: [{ type: "text", text: "And now?" }, ...results] },
    ];
    expect((await postMessage({ model: "plain", tools: [WEATHER], messages: asked })).status).toBe(200);
    expect(chat.last().body["messages"]).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "toolu_1" }, { id: "toolu_2" }] },
      { role: "tool", tool_call_id: "toolu_2", content: "toolu_2 is wet" },
      { role: "tool", tool_call_id: "toolu_1", content: "toolu_1 is wet" },
      { role: "user", content: "And now?" },
    ]);
  });

  test("a tool without parameters takes an object, and an empty list of tools is not sent", async () => {
    await postMessage({ model: "plain", tools: [{ name: "now" }], tool_choice: { type: "none" } });
    const offered = { type: "function", function: { name: "now", parameters: { type: "object", properties: {} } } };
    expect(chat.last().body).toMatchObject({ tools: [offered], tool_choice: "none" });
    await postResponse({ model: "plain", tools: [{ type: "function", name: "now", parameters: null, strict: null }], tool_choice: "none" });
    expect(chat.last().body).toMatchObject({ tools: [offered], tool_choice: "none" });
    await postMessage({ model: "plain", tools: [] });
    expect(chat.last().body).not.toHaveProperty("tools");
    await postResponse({ model: "plain", tools: [], tool_choice: "auto" });
    expect(chat.last().body).not.toContainAnyKeys(["tools", "tool_choice"]);
  });

  test("the same tools are the same bytes in each turn", async () => {
    const { name, input_schema: parameters } = WEATHER;
    const own = { type: "function", name, parameters, strict: false };
    const tools = [
      { type: "namespace", name: "sky".repeat(30), description: "", tools: [own] },
      own,
      { type: "custom", name: "edit", format: { type: "text" } },
    ];
    const sent: string[] = [];
    for (const _ of "12") {
      await postResponse({ model: "plain", tools });
      sent.push(chat.last().text);
      await postMessage({ model: "plain", tools: [WEATHER, { ...WEATHER, name: "other" }] });
      sent.push(chat.last().text);
    }
    expect(sent.slice(2)).toEqual(sent.slice(0, 2));
  });

  test("turns without content are not sent", async () => {
    const turns = [
      { role: "user", content: "Hello!" },
      { role: "assistant", content: [] },
      { role: "assistant", content: [thinking("Hm.")] },
      { role: "user", content: [text(""), text("Go on.")] },
    ];
    expect((await postMessage({ model: "plain", messages: turns })).status).toBe(200);
    expect(chat.last().body["messages"]).toEqual([
      { role: "user", content: "Hello!" },
      { role: "user", content: "Go on." },
    ]);
  });
});

describe("money", () => {
  const charge = async (reply: Response): Promise<unknown> => {
    await reply.text();
    const receipt = await gateway.platform<Json>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
    return [receipt["charged"], receipt["provenance"]];
  };

  test("a response that failed after its first content is charged by the counts in response.failed", async () => {
    // 10 tokens of input at 1, and 4 of output at 2 millionths of a dollar.
    expect(await charge(await postResponse({ model: "failed", stream: true }))).toEqual(["0.000018", "partial"]);
  });

  test("a response without counts is charged by an estimate, and has counts for its client", async () => {
    const reply = await postResponse({ model: "uncounted", stream: true });
    const [last] = eventsIn(await reply.text()).slice(-1);
    expect(last).toMatchObject({ type: "response.completed", response: { usage: { output_tokens: 2 } } });
    const receipt = await gateway.platform<Json>("GET", `/api/receipts/${reply.headers.get("x-request-id")}`);
    expect(receipt["provenance"]).toBe("estimated");
  });

  test("compaction has no endpoint: agents compact by an ordinary turn", async () => {
    expect((await send("/responses/compact", "{}")).status).toBe(404);
  });

  test("a prompt that cannot be counted is rejected in the words of the API", async () => {
    const reply = await send("/messages/count_tokens", JSON.stringify({ model: "claude", messages: HELLO.messages, max_tokens: 5 }));
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { message: "max_tokens: Extra inputs are not permitted" } }]);
  });
});

describe("streams", () => {
  test("a text has every event of the Responses API, in its order", async () => {
    expect((await streamResponse({ model: "plain" })).map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  test("a rate limit of the operator in mid-stream has a code inside of the response after which agents wait", async () => {
    const [last] = (await streamResponse({ model: "limited" })).slice(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { status: "failed", error: { code: "server_is_overloaded" } } });
  });

  test("keep-alives are whole frames, and events that clients ignore", () => {
    const started = responsesFormat.openEvents("req_1");
    started.toFrames(['{"type":"response.created","sequence_number":0}']);
    expect([messagesFormat.openEvents("req_1").keepAlive, responsesFormat.openEvents("req_1").keepAlive, started.keepAlive]).toEqual([
      'event: ping\ndata: {"type":"ping"}\n\n',
      ": keep-alive\n\n",
      'event: keepalive\ndata: {"type":"keepalive"}\n\n',
    ]);
  });

  test("content arrives while the upstream is still writing, and proxies are asked not to buffer it", async () => {
    paused.write(`data: ${chunk({ role: "assistant", content: "Hello" })}\n\n`);
    const reply = await postMessage({ model: "paused", stream: true });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    while (!received.includes('"text":"Hello"')) received += (await reader.read()).value!;
    expect(reply.headers.get("x-accel-buffering")).toBe("no");
    paused.write(`data: ${chunk({}, "stop")}\n\ndata: ${usageChunk()}\n\ndata: [DONE]\n\n`);
    paused.end();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) received += piece.value;
    expect(received).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });
});
