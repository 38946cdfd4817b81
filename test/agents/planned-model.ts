import { startGoogleCloud, type GoogleCloud } from "../clouds/google-cloud.ts";
import { text as converseText, toolUse as converseToolUse } from "../dialects/converse-answers.ts";
import { CREDENTIAL as BEDROCK_CREDENTIAL, startConverseServer, type Answer as ConverseAnswer } from "../dialects/converse-server.ts";
import { CREDENTIAL as ANTHROPIC_CREDENTIAL, startAnthropicServer } from "../dialects/anthropic-server.ts";
import { answerOf } from "../dialects/gemini-answers.ts";
import { CREDENTIAL as GEMINI_CREDENTIAL, startGeminiServer, type GeminiRequest } from "../dialects/gemini-server.ts";
import { eventsOf, text, toolUse } from "../dialects/messages-answers.ts";
import { DATE, vertexPlace } from "../dialects/vertex-place.ts";
import { RESPONSES_CREDENTIAL, saying, startResponsesServer, type ScriptedResponse } from "../responses/responses-server.ts";
import { chunk, completion, events, startMockUpstream, usageChunk, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";

type Json = Readonly<Record<string, unknown>>;

export interface PlannedCall {
  readonly tool: string;
  readonly input: Json;
}

/** One turn of a model: a text, and the calls after it. The turn after the last is the end of the task. */
export interface PlannedTurn {
  readonly says: string;
  readonly calls: readonly PlannedCall[];
}

/** What a double has seen of a request: the names of its tools, and how many turns with calls came before. */
interface Seen {
  readonly tools: readonly unknown[];
  readonly turns: number;
}

const END: PlannedTurn = { says: "All done.", calls: [] };

/**
 * One model behind doubles of six APIs, each as strict as its test suite. It follows a plan, whichever agent calls it. A request without
 * the tools of the plan, such as for the title of a session, is answered with the end.
 */
export class PlannedModel {
  plan: readonly PlannedTurn[] = [];
  /** The number of answers, by API. */
  readonly answers: Record<Api, number> = { anthropic: 0, bedrock: 0, vertex: 0, responses: 0, chat: 0, gemini: 0 };
  readonly #google: GoogleCloud = startGoogleCloud();
  readonly #stops: (() => Promise<void>)[] = [() => this.#google.stop()];

  /** The environment of the gateway. */
  get variables(): GoogleCloud["variables"] {
    return this.#google.variables;
  }

  /** The config file of a gateway with a model for each API. */
  start(): string {
    const anthropic = startAnthropicServer({ "claude-opus-4-7": (body) => this.#asMessage("anthropic", body) });
    // Claude Code reaches Claude by InvokeModel, and Codex by Converse.
    const bedrock = startConverseServer(
      { "anthropic.claude-opus-4-7": (body) => this.#asConverse(body) },
      { "anthropic.claude-opus-4-7": (body) => this.#asMessage("bedrock", body) },
    );
    const vertex = startAnthropicServer({ "claude-opus-4-7": (body) => this.#asMessage("vertex", body) }, vertexPlace(this.#google));
    const responses = startResponsesServer({ "gpt-test": ({ body }) => this.#asResponse(body) });
    const chat = startMockUpstream({ "llama-test": (request) => this.#asChat(request) });
    const gemini = startGeminiServer({ "gemini-3.5-flash": (request) => this.#asGemini(request) });
    const servers = { anthropic, bedrock, vertex, responses, chat, gemini };
    for (const server of Object.values(servers)) this.#stops.push(() => server.stop());
    const price = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
    const upstreams = APIS.map(
      ({ api, dialect, credential }) =>
        `  - { id: ${api}, ${dialect}, base_url: "${servers[api].baseUrl}", allow_private: true, ${credential} }`,
    );
    const models = APIS.map(
      ({ api, model }) => `  - { id: ${modelFor(api)}, routes: [{ upstream: ${api}, model: "${model}" }], price: ${price} }`,
    );
    return `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  #next(api: Api, { tools, turns }: Seen): PlannedTurn {
    this.answers[api]++;
    const turn = this.plan[turns];
    return turn?.calls.every(({ tool }) => tools.includes(tool)) ? turn : END;
  }

  #asMessage(api: "anthropic" | "bedrock" | "vertex", { tools, messages }: Json): Json[] {
    const turns = (messages as readonly Json[]).filter(({ content }) => hasBlock(content, ({ type }) => type === "tool_use")).length;
    const { says, calls } = this.#next(api, { tools: namesOf(tools), turns });
    const content = [text(says), ...calls.map(({ tool, input }, at) => toolUse(`toolu_${turns}_${at}`, tool, input))];
    const [start, ...rest] = eventsOf(content, calls.length > 0 ? "tool_use" : "end_turn");
    // Claude Code joins messages with equal IDs into one turn.
    return [{ ...start, message: { ...(start!["message"] as Json), id: `msg_${this.answers[api]}` } }, ...rest];
  }

  #asConverse({ toolConfig, messages }: Json): ConverseAnswer {
    const turns = (messages as readonly Json[]).filter(({ content }) =>
      hasBlock(content, (block) => block["toolUse"] !== undefined),
    ).length;
    const tools = ((toolConfig as Json | undefined)?.["tools"] ?? []) as readonly { toolSpec?: Json }[];
    const { says, calls } = this.#next("bedrock", { tools: tools.map(({ toolSpec }) => toolSpec?.["name"]), turns });
    const content = [converseText(says), ...calls.map(({ tool, input }, at) => converseToolUse(`tooluse_${turns}_${at}`, tool, input))];
    return { content, stopReason: calls.length > 0 ? "tool_use" : "end_turn" };
  }

  #asResponse({ tools, input }: Json): ScriptedResponse {
    const items = Array.isArray(input) ? (input as readonly Json[]) : [];
    const isCall = (at: number): boolean => items[at]?.["type"] === "function_call";
    const turns = items.filter((_, at) => isCall(at) && !isCall(at - 1)).length;
    const { says, calls } = this.#next("responses", { tools: namesOf(tools), turns });
    const items2 = calls.map(({ tool, input: args }, at) => {
      const id = `${turns}_${at}`;
      return {
        id: `fc_${id}`,
        type: "function_call",
        status: "completed",
        call_id: `call_${id}`,
        name: tool,
        arguments: JSON.stringify(args),
      };
    });
    return { items: [saying(says), ...items2] };
  }

  #asChat({ body }: RecordedRequest): Response {
    const turns = (body["messages"] as readonly Json[]).filter((message) => message["tool_calls"] !== undefined).length;
    const tools = ((body["tools"] ?? []) as readonly { function: Json }[]).map((tool) => tool.function["name"]);
    const { says, calls } = this.#next("chat", { tools, turns });
    const toolCalls = calls.map(({ tool, input }, index) => {
      const called = { name: tool, arguments: JSON.stringify(input) };
      return { index, id: `call_${turns}_${index}`, type: "function", function: called };
    });
    const reason = calls.length > 0 ? "tool_calls" : "stop";
    if (body["stream"] !== true) {
      return Response.json(completion({ content: says, ...(calls.length > 0 && { tool_calls: toolCalls }) }));
    }
    const deltas = [{ role: "assistant", content: says }, ...(calls.length > 0 ? [{ tool_calls: toolCalls }] : [])];
    return events([...deltas.map((delta) => chunk(delta)), chunk({}, reason), usageChunk()]);
  }

  #asGemini({ body }: GeminiRequest): readonly object[] {
    const turns = body.contents.filter(({ parts }) => parts.some(({ functionCall }) => functionCall)).length;
    const tools = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name));
    const { says, calls } = this.#next("gemini", { tools, turns });
    const parts = calls.map(({ tool, input }, at) => ({ functionCall: { name: tool, args: input, id: `g-${turns}-${at}` } }));
    return [answerOf([{ text: says }]), ...(parts.length > 0 ? [answerOf(parts)] : []), answerOf([{ text: "" }], "STOP")];
  }
}

const APIS = [
  { api: "anthropic", dialect: "dialect: anthropic", model: "claude-opus-4-7", credential: `credential: ${ANTHROPIC_CREDENTIAL}` },
  { api: "bedrock", dialect: "dialect: bedrock", model: "anthropic.claude-opus-4-7", credential: `credential: ${BEDROCK_CREDENTIAL}` },
  {
    api: "vertex",
    dialect: "preset: vertex-claude",
    model: `claude-opus-4-7${DATE}`,
    credential: "google: { project: acme-prod, location: global }",
  },
  { api: "responses", dialect: "dialect: responses", model: "gpt-test", credential: `credential: ${RESPONSES_CREDENTIAL}` },
  { api: "chat", dialect: "dialect: openai", model: "llama-test", credential: "credential: chat-credential-canary" },
  { api: "gemini", dialect: "dialect: gemini", model: "gemini-3.5-flash", credential: `credential: ${GEMINI_CREDENTIAL}` },
] as const;

export type Api = (typeof APIS)[number]["api"];

export const API_NAMES: readonly Api[] = APIS.map(({ api }) => api);

/** The public name of the model behind an API. */
export function modelFor(api: Api): string {
  return `${api}-model`;
}

/**
 * What one answer costs, in nano-dollars: 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25, and 7 of output at 2
 * millionths of a dollar; 4, 1 and 2 for chat completions; 17, 8 and 37 for Gemini.
 */
export const COST: Readonly<Record<Api, bigint>> = {
  anthropic: 26_800n,
  bedrock: 26_800n,
  vertex: 26_800n,
  responses: 26_800n,
  chat: 8_100n,
  gemini: 91_800n,
};

function namesOf(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? (tools as readonly Json[]).map(({ name }) => name) : [];
}

function hasBlock(content: unknown, is: (block: Json) => boolean): boolean {
  return Array.isArray(content) && (content as readonly Json[]).some(is);
}
