import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startModelServer, type ModelServer } from "../../scripts/try-model/model-server.ts";
import { preparePython } from "../../scripts/try-model/python-environment.ts";
import { ledgerOf, priceOf } from "../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { orSkipped } from "./python/python-groups.ts";

/**
 * A real model, served by llama.cpp, behind the Messages API and the Responses API. `translated`: the gateway calls its chat completions.
 * `relayed`: the gateway calls its Messages API.
 */

const python = orSkipped("the real model", preparePython);
let server: ModelServer;
let gateway: RunningGateway;
let access: { readonly id: string; readonly key: string };

beforeAll(async () => {
  if (python === undefined) return;
  server = await startModelServer(python, 0, 2048);
  gateway = await startGateway({
    yaml: `endpoints: [messages, responses]
upstreams:
  - { id: chat, preset: llama-cpp, base_url: "${server.baseUrl}", allow_private: true }
  - { id: messages, dialect: anthropic, base_url: "${server.baseUrl}", allow_private: true, credential: unused }
models:
  - { id: translated, routes: [{ upstream: chat, model: smollm2 }], price: ${TEST_PRICE}, max_output_tokens: 256 }
  - { id: relayed, routes: [{ upstream: messages, model: smollm2 }], price: ${TEST_PRICE}, max_output_tokens: 256 }
`,
  });
});

beforeEach(async () => {
  if (python !== undefined) access = await gateway.makeKey();
});

afterAll(async () => {
  await gateway?.stop();
  await server?.kill();
});

function anthropic(): Anthropic {
  return new Anthropic({ baseURL: gateway.baseUrl.replace(/\/v1$/, ""), apiKey: access.key, maxRetries: 0 });
}

function openai(): OpenAI {
  return new OpenAI({ baseURL: gateway.baseUrl, apiKey: access.key, maxRetries: 0 });
}

/** There must be one charge, for the tokens that the client sees: all of the prompt, its cached part, and the output. */
function expectCharged(prompt: number, cached: number, output: number): void {
  const settled = ledgerOf(gateway).filter((row) => row.key_id === access.id && row.kind === "settle");
  expect(settled.map(({ provenance, amount_nanos: amount }) => [provenance, amount])).toEqual([
    ["measured", priceOf(prompt, output, cached)],
  ]);
}

function expectMessageCharged({ usage }: Anthropic.Message): void {
  const cached = usage.cache_read_input_tokens ?? 0;
  expectCharged(usage.input_tokens + cached, cached, usage.output_tokens);
}

function expectResponseCharged({ usage }: OpenAI.Responses.Response): void {
  expectCharged(usage!.input_tokens, usage!.input_tokens_details.cached_tokens, usage!.output_tokens);
}

/** The same answer each time: a sampled one may be a line of punctuation. */
const GREEDY = { temperature: 0 };
const ASK = { ...GREEDY, max_tokens: 24, messages: [{ role: "user" as const, content: "Say hello." }] };
describe.skipIf(python === undefined)("a real model", () => {
  test.each(["translated", "relayed"])("Messages: JSON, %s", async (model) => {
    const message = await anthropic().messages.create({ model, ...ASK });
    expect(message.model).toBe(model);
    expect(message.content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/\w/) });
    expectMessageCharged(message);
  });

  test.each(["translated", "relayed"])("Messages: a stream, %s", async (model) => {
    const stream = anthropic().messages.stream({ model, ...ASK });
    let text = "";
    stream.on("text", (piece) => (text += piece));
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject([{ type: "text", text }]);
    expect(text).toMatch(/\w/);
    expectMessageCharged(message);
  });

  test("Messages: the server counts tokens itself", async () => {
    const { input_tokens: counted } = await anthropic().messages.countTokens({ model: "relayed", messages: ASK.messages });
    const { usage } = await anthropic().messages.create({ model: "relayed", ...ASK });
    expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(counted);
  });

  test("Responses: JSON", async () => {
    const response = await openai().responses.create({ ...GREEDY, model: "translated", input: "Say hello.", max_output_tokens: 24 });
    expect(response.output_text).toMatch(/\w/);
    expectResponseCharged(response);
  });

  test("Responses: a stream", async () => {
    const stream = openai().responses.stream({ ...GREEDY, model: "translated", input: "Say hello.", max_output_tokens: 24 });
    let text = "";
    stream.on("response.output_text.delta", ({ delta }) => void (text += delta));
    const response = await stream.finalResponse();
    expect(text).toMatch(/\w/);
    expect(response.output_text).toBe(text);
    expectResponseCharged(response);
  });
});
