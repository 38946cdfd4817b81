import { afterAll, expect, test } from "bun:test";
import { blockDelta, blockStart, START } from "../dialects/messages-answers.ts";
import { readMessage } from "../messages/read-message.ts";
import { eventsIn, readResponse } from "../responses/read-response.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { chunk, manualStream, rawEvents } from "../support/upstreams/mock-upstream.ts";

/** Upstreams that generate without end, behind the endpoints of other formats: `x-max-cost` ends their streams. */

type Json = Readonly<Record<string, unknown>>;

const WORD = "four";

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, status: "in_progress", model: "m", output: [], usage: null };
const MESSAGE = { id: "msg_1", type: "message", status: "in_progress", role: "assistant", content: [] };
const PART = { type: "output_text", text: "", annotations: [], logprobs: [] };
const PLACE = { item_id: "msg_1", output_index: 0, content_index: 0 };

interface EndlessStream {
  readonly start: readonly string[];
  readonly word: (at: number) => string;
}

/** By the path of the API. */
const STREAMS: Readonly<Record<string, EndlessStream>> = {
  "/v1/chat/completions": { start: [chunk({ role: "assistant", content: "" })], word: () => chunk({ content: WORD }) },
  "/v1/messages": {
    start: [START, blockStart(0, { type: "text", text: "" })].map((event) => JSON.stringify(event)),
    word: () => JSON.stringify(blockDelta(0, { type: "text_delta", text: WORD })),
  },
  "/v1/responses": {
    start: [
      { type: "response.created", response: RESPONSE },
      { type: "response.in_progress", response: RESPONSE },
      { type: "response.output_item.added", output_index: 0, item: MESSAGE },
      { type: "response.content_part.added", ...PLACE, part: PART },
    ].map((event, at) => JSON.stringify({ ...event, sequence_number: at })),
    word: (at) => JSON.stringify({ type: "response.output_text.delta", ...PLACE, delta: WORD, sequence_number: at }),
  },
};

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch(request) {
    const { start, word } = STREAMS[new URL(request.url).pathname]!;
    const { stream, write, cancelled } = manualStream();
    let at = 0;
    for (const event of start) write(`data: ${event}\n\n`);
    const timer = setInterval(() => write(`data: ${word(start.length + at++)}\n\n`), 1);
    void cancelled.then(() => clearInterval(timer));
    return rawEvents(stream);
  },
});
const baseUrl = `http://127.0.0.1:${upstream.port}/v1`;
const models = ["anthropic", "openai", "local"];
const gateway = await startGateway({
  yaml: `endpoints: [messages, responses]
upstreams:
  - { id: anthropic, dialect: anthropic, base_url: "${baseUrl}", allow_private: true }
  - { id: openai, dialect: openai, preset: openai, base_url: "${baseUrl}", allow_private: true, credential: canary }
  - { id: local, dialect: openai, base_url: "${baseUrl}", allow_private: true }
models:
${models.map((id) => `  - { id: ${id}, price: { input_per_million: 1, output_per_million: 2 }, routes: [{ upstream: ${id}, model: m }] }`).join("\n")}
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
});

async function eventsOf(path: string, body: object): Promise<Json[]> {
  const reply = await fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-max-cost": "0.0006" },
    body: JSON.stringify({ stream: true, ...body }),
  });
  return eventsIn(await reply.text());
}

for (const model of models) {
  test(`a message of ${model} that reaches x-max-cost closes its block`, async () => {
    const events = await eventsOf("/messages", { model, max_tokens: 5000, messages: [{ role: "user", content: "Hello!" }] });
    const { content, stopReason, usage } = readMessage(events);
    expect([stopReason, content.length]).toEqual(["max_tokens", 1]);
    expect(content[0]!["text"]).toStartWith(WORD.repeat(10));
    expect(usage["output_tokens"]).toBeGreaterThan(10);
  });

  test(`a response of ${model} that reaches x-max-cost closes its item, and lists it`, async () => {
    const { status, output, incomplete_details: details, usage } = readResponse(await eventsOf("/responses", { model, input: "Hello!" }));
    expect([status, details]).toEqual(["incomplete", { reason: "max_output_tokens" }]);
    expect((output as Json[]).map(({ type, status: state }) => [type, state])).toEqual([["message", "incomplete"]]);
    expect(JSON.stringify(output)).toContain(WORD.repeat(10));
    expect((usage as Json)["output_tokens"]).toBeGreaterThan(10);
  });
}
