import { CREDENTIAL as ANTHROPIC_CREDENTIAL, startAnthropicServer } from "../dialects/anthropic-server.ts";
import { text as converseText } from "../dialects/converse-answers.ts";
import { CREDENTIAL as BEDROCK_CREDENTIAL, startConverseServer, type Answer as ConverseAnswer } from "../dialects/converse-server.ts";
import { answerOf as geminiAnswer } from "../dialects/gemini-answers.ts";
import { CREDENTIAL as GEMINI_CREDENTIAL, startGeminiServer } from "../dialects/gemini-server.ts";
import { blockEvents, message, messageDelta, START, STOP, text } from "../dialects/messages-answers.ts";
import { RESPONSES_CREDENTIAL, saying, startResponsesServer, type ScriptedResponse } from "../responses/responses-server.ts";
import { chunk, completion, events, startMockUpstream, usageChunk } from "../support/upstreams/mock-upstream.ts";

type Json = Record<string, unknown>;

/** The tokens that a provider bills, each of one kind. `reasoning` is a part of `output`. */
export interface Bill {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** The APIs of the provider, with the gateway's settings for each. */
export const PLACES = [
  { id: "chat", settings: "dialect: openai", credential: "chat-credential-canary" },
  { id: "anthropic", settings: "dialect: anthropic", credential: ANTHROPIC_CREDENTIAL },
  { id: "bedrock", settings: "dialect: bedrock", credential: BEDROCK_CREDENTIAL },
  { id: "gemini", settings: "dialect: gemini", credential: GEMINI_CREDENTIAL },
  { id: "responses", settings: "dialect: responses", credential: RESPONSES_CREDENTIAL },
] as const;

export type Place = (typeof PLACES)[number]["id"];

/** The name of the model in every API. */
const MODEL = "claude-sonnet-4-5";

/** A model that Bedrock serves by Converse: `test/messages/clouds.test.ts` has Claude, which is invoked by the Messages API. */
const CONVERSE_MODEL = "amazon.nova-pro-v1:0";

const WORDS = "It is 5 dollars.";

/** One provider behind a strict double of each API. It answers every request with the same text, and bills `bill` for it. */
export class BilledProvider {
  bill: Bill = { fresh: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 0 };
  readonly #servers = {
    chat: startMockUpstream({ [MODEL]: ({ body }) => this.#asChat(body) }),
    anthropic: startAnthropicServer({ [MODEL]: (body) => this.#asMessage(body) }),
    bedrock: startConverseServer({ [CONVERSE_MODEL]: () => this.#asConverse() }),
    gemini: startGeminiServer({ [MODEL]: () => this.#asGemini() }),
    responses: startResponsesServer({ [MODEL]: () => this.#asResponse() }),
  };

  /** The upstreams and models of a config file. A model has the name of its place and the number of its price: `gemini-0`. */
  yamlWith(prices: readonly string[], settings = ""): string {
    const upstreams = PLACES.map(
      ({ id, settings: dialect, credential }) =>
        `  - { id: ${id}, ${dialect}, base_url: "${this.#servers[id].baseUrl}", allow_private: true, credential: ${credential} }`,
    );
    const models = PLACES.flatMap(({ id }) =>
      prices.map(
        (price, at) =>
          `  - { id: ${id}-${at}, routes: [{ upstream: ${id}, model: ${id === "bedrock" ? CONVERSE_MODEL : MODEL} }], price: ${price}${settings} }`,
      ),
    );
    return `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#servers).map((server) => server.stop()));
  }

  get #prompt(): number {
    return this.bill.fresh + this.bill.cacheRead + this.bill.cacheWrite;
  }

  #asChat({ stream }: Json): Response {
    const { cacheRead, cacheWrite, output, reasoning } = this.bill;
    const usage = {
      prompt_tokens: this.#prompt,
      completion_tokens: output,
      total_tokens: this.#prompt + output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    };
    if (stream !== true) return Response.json(completion({ content: WORDS }, { usage }));
    return events([chunk({ role: "assistant", content: WORDS }), chunk({}, "stop"), usageChunk(usage)]);
  }

  #asMessage({ stream }: Json): Json[] | Response {
    const { fresh, cacheRead, cacheWrite, output, reasoning } = this.bill;
    const usage = {
      input_tokens: fresh,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
      output_tokens: output,
      output_tokens_details: { thinking_tokens: reasoning },
    };
    if (stream !== true) return Response.json(message([text(WORDS)], "end_turn", { usage }));
    const start = { ...START, message: { ...START.message, usage: { ...usage, output_tokens: 1, output_tokens_details: undefined } } };
    return [start, ...blockEvents(text(WORDS), 0), messageDelta("end_turn", usage), STOP];
  }

  #asConverse(): ConverseAnswer {
    const { fresh, cacheRead, cacheWrite, output } = this.bill;
    const counts = { inputTokens: fresh, cacheReadInputTokens: cacheRead, cacheWriteInputTokens: cacheWrite, outputTokens: output };
    return { content: [converseText(WORDS)], usage: { ...counts, totalTokens: this.#prompt + output } };
  }

  #asGemini(): readonly object[] {
    const { cacheRead, output, reasoning } = this.bill;
    const usageMetadata = {
      promptTokenCount: this.#prompt,
      cachedContentTokenCount: cacheRead,
      candidatesTokenCount: output - reasoning,
      thoughtsTokenCount: reasoning,
      totalTokenCount: this.#prompt + output,
    };
    return [geminiAnswer([{ text: WORDS }], undefined, { usageMetadata }), geminiAnswer([{ text: "" }], "STOP", { usageMetadata })];
  }

  #asResponse(): ScriptedResponse {
    const { cacheRead, cacheWrite, output, reasoning } = this.bill;
    const usage = {
      input_tokens: this.#prompt,
      input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: this.#prompt + output,
    };
    return { items: [saying(WORDS)], usage };
  }
}
