import { startGoogleCloud, type GoogleCloud } from "../clouds/google-cloud.ts";
import {
  eventsOf as converseEventsOf,
  framesOf as converseFramesOf,
  reasoning,
  text as converseText,
  toolUse as converseToolUse,
} from "../dialects/converse-answers.ts";
import { CREDENTIAL as BEDROCK_CREDENTIAL, invokeFrames, startConverseServer } from "../dialects/converse-server.ts";
import { CREDENTIAL as ANTHROPIC_CREDENTIAL, refusal, startAnthropicServer } from "../dialects/anthropic-server.ts";
import { answerOf, framesOf } from "../dialects/gemini-answers.ts";
import { CREDENTIAL as GEMINI_CREDENTIAL, startGeminiServer, type GeminiRequest } from "../dialects/gemini-server.ts";
import { DATE, vertexPlace } from "../dialects/vertex-place.ts";
import { COUNTS, eventsOf, message, text, thinking, toolUse, wireOf } from "../dialects/messages-answers.ts";
import {
  rejection,
  RESPONSE_USAGE,
  responseFrames,
  RESPONSES_CREDENTIAL,
  saying,
  startResponsesServer,
  type ResponsesRequest,
  type ScriptedResponse,
} from "../responses/responses-server.ts";
import { chunk, completion, startMockUpstream, usageChunk, USAGE, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";

type Json = Readonly<Record<string, unknown>>;

export interface PlannedCall {
  readonly tool: string;
  /** Its arguments; a function if they depend on the conversation. */
  readonly input: Json | ((conversation: string) => Json);
  /** The namespace of the tool in the Responses API. */
  readonly namespace?: string;
}

/** One turn of a model: a text, and the calls after it. The turn after the last is the end of the task. */
export interface PlannedTurn {
  readonly says: string;
  readonly calls: readonly PlannedCall[];
  /** What the model thinks before it, if the request allows thinking. */
  readonly thinks?: string;
  /** Input tokens that it counts besides the usual ones. */
  readonly reads?: number;
}

/**
 * How a stream breaks: before its first content, or within the first text. `silent`: it stays open within the first text, until the gateway
 * cancels it.
 */
export type Break = "early" | "late" | "silent";

/** What a double has seen of a request: the names of its tools, how many turns with calls came before, and the texts before those. */
interface Seen {
  readonly tools: readonly unknown[];
  readonly turns: number;
  readonly opening: unknown;
}

interface NextTurn extends PlannedTurn {
  readonly calls: readonly (PlannedCall & { readonly input: Json })[];
}

const END: NextTurn = { says: "All done.", calls: [] };

/** The words of Claude Code, and of Codex. */
const ASKS_FOR_SUMMARY = /Respond with TEXT ONLY\. Do NOT call any tools|CONTEXT CHECKPOINT COMPACTION/;

/**
 * One model behind doubles of six APIs, each as strict as its test suite. It follows a plan, whichever agent calls it. A request without
 * the tools of the plan, such as for the title of a session, is answered with the end.
 */
export class PlannedModel {
  plan: readonly PlannedTurn[] = [];
  /** Plans of conversations that begin with a text: of a sub-agent, or after a compaction. */
  plansAfter: Readonly<Record<string, readonly PlannedTurn[]>> = {};
  /** What it answers to an agent that asks for a summary of the conversation. */
  summary = "";
  /** How the next streams of an API break. */
  readonly breaks: Partial<Record<Api, (Break | undefined)[]>> = {};
  /** The number of answers, by API. */
  readonly answers: Record<Api, number> = { anthropic: 0, bedrock: 0, vertex: 0, responses: 0, chat: 0, gemini: 0 };
  /** What complete answers cost, in nano-dollars. */
  readonly bill: bigint[] = [];
  /** The bodies of the requests, with their API. */
  readonly requests: { readonly api: Api; readonly body: Json }[] = [];
  /** Why requests were rejected. */
  readonly rejections: string[] = [];
  /** The number of silent streams that the gateway has cancelled. */
  cancelled = 0;
  /** The number of streams that have broken. */
  broken = 0;
  /** What the model has thought, by its signature or its encrypted content. */
  readonly thoughts = new Map<string, Json>();
  readonly #google: GoogleCloud = startGoogleCloud();
  readonly #stops: (() => Promise<void>)[] = [() => this.#google.stop()];

  /** The environment of the gateway. */
  get variables(): GoogleCloud["variables"] {
    return this.#google.variables;
  }

  /** The config file of a gateway with a model for each API. */
  start(moreModels: readonly string[] = []): string {
    const anthropic = startAnthropicServer({ "claude-opus-4-7": (body) => this.#asMessage("anthropic", body) });
    // Claude Code reaches Claude by InvokeModel, and Codex by Converse.
    const bedrock = startConverseServer(
      { "anthropic.claude-opus-4-7": (body) => this.#asConverse(body) },
      { "anthropic.claude-opus-4-7": (body) => this.#asMessage("bedrock", { ...body, stream: true }) },
    );
    const vertex = startAnthropicServer({ "claude-opus-4-7": (body) => this.#asMessage("vertex", body) }, vertexPlace(this.#google));
    const responses = startResponsesServer({ "gpt-test": (request) => this.#asResponse(request) });
    const chat = startMockUpstream({ "llama-test": (request) => this.#asChat(request) });
    const gemini = startGeminiServer({ "gemini-3.5-flash": (request) => this.#asGemini(request) });
    const servers = { anthropic, bedrock, vertex, responses, chat, gemini };
    for (const server of Object.values(servers)) this.#stops.push(() => server.stop());
    const upstreams = APIS.map(
      ({ api, dialect, credential }) =>
        `  - { id: ${api}, ${dialect}, base_url: "${servers[api].baseUrl}", allow_private: true, ${credential} }`,
    );
    const models = [...APIS.map(({ api }) => declared(modelFor(api), [api])), ...moreModels];
    return `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
  }

  /** Forgets what was planned and recorded. */
  reset(): void {
    this.plan = [];
    this.plansAfter = {};
    this.summary = "";
    for (const api of API_NAMES) this.breaks[api] = [];
    for (const list of [this.bill, this.requests, this.rejections]) list.length = 0;
    this.thoughts.clear();
    this.cancelled = this.broken = 0;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }

  #next(api: Api, body: Json, { tools, turns, opening }: Seen): NextTurn {
    this.answers[api]++;
    this.requests.push({ api, body });
    const conversation = JSON.stringify(body);
    if (ASKS_FOR_SUMMARY.test(conversation)) return { says: this.summary, calls: [] };
    const begun = JSON.stringify(opening);
    const [, plan] = Object.entries(this.plansAfter).find(([start]) => begun.includes(start)) ?? [undefined, this.plan];
    const turn = plan[turns];
    if (!turn?.calls.every((call) => tools.includes(flatName(call)))) return END;
    return { ...turn, calls: turn.calls.map((call) => ({ ...call, input: inputOf(call, conversation) })) };
  }

  #rejected(problem: string): string {
    this.rejections.push(problem);
    return problem;
  }

  /** A stream of these pieces, which breaks if that is its turn. Only complete answers cost something. */
  #streamed(api: Api, turn: PlannedTurn, pieces: readonly (string | Uint8Array)[], type = "text/event-stream", cuts = CUTS[api]): Response {
    const kind = this.breaks[api]?.shift();
    if (kind === undefined) this.#charge(api, turn);
    else this.broken++;
    const [early, late] = cuts;
    const sent = kind === undefined ? pieces : pieces.slice(0, kind === "early" ? early : late);
    const bytes = Buffer.concat(sent.map((piece) => Buffer.from(piece)));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        if (kind !== "silent") controller.close();
      },
      cancel: () => void this.cancelled++,
    });
    return new Response(body, { headers: { "content-type": type } });
  }

  #charge(api: Api, { reads = 0 }: PlannedTurn): void {
    this.bill.push(COST[api] + BigInt(reads) * 1000n);
  }

  /** What the model thinks in a turn, with a signature that must come back unchanged. */
  #think(thinks: string, shape: (signature: string) => Json): Json {
    const signature = Buffer.from(`thought ${this.thoughts.size}: ${thinks} +/=`).toString("base64");
    const thought = shape(signature);
    this.thoughts.set(signature, thought);
    return thought;
  }

  #asMessage(api: "anthropic" | "bedrock" | "vertex", body: Json): Response {
    const { tools, messages, stream } = body;
    const problem = problemOfMessages(messages as readonly Turn[], this.thoughts) ?? problemOfCaching(body);
    if (problem !== undefined) return refusal(400, "invalid_request_error", this.#rejected(problem));
    const turns = turnsWith(messages, ({ type }) => type === "tool_use");
    const turn = this.#next(api, body, { tools: namesOf(tools), turns, opening: openingOf(messages) });
    const { says, calls, thinks, reads = 0 } = turn;
    const number = this.answers[api];
    const { type, display } = (body["thinking"] ?? {}) as Json;
    const isThinking = thinks !== undefined && (type === "adaptive" || type === "enabled");
    const shown = display === "omitted" ? "" : thinks;
    const content = [
      ...(isThinking ? [this.#think(thinks, (signature) => thinking(shown!, signature))] : []),
      text(says),
      ...calls.map((call, at) => toolUse(`toolu_${number}_${at}`, flatName(call), call.input)),
    ];
    const reason = calls.length > 0 ? "tool_use" : "end_turn";
    const usage = { ...COUNTS, input_tokens: COUNTS.input_tokens + reads };
    // Claude Code joins messages with equal IDs into one turn.
    const id = `msg_${number}`;
    if (stream !== true) {
      this.#charge(api, turn);
      return Response.json(message(content, reason, { id, usage }));
    }
    const [start, ...rest] = eventsOf(content, reason);
    const events = [{ ...start, message: { ...(start!["message"] as Json), id, usage: { ...usage, output_tokens: 1 } } }, ...rest];
    const counted = events.map((event) => ("usage" in event ? { ...event, usage } : event));
    if (api === "bedrock") return this.#streamed(api, turn, invokeFrames(counted), "application/vnd.amazon.eventstream", CUTS.anthropic);
    return this.#streamed(
      api,
      turn,
      counted.map((event) => wireOf([event])),
    );
  }

  #asConverse(body: Json): Response {
    const { toolConfig, messages, additionalModelRequestFields: fields } = body;
    const turns = turnsWith(messages, (block) => block["toolUse"] !== undefined);
    const tools = ((toolConfig as Json | undefined)?.["tools"] ?? []) as readonly { toolSpec?: Json }[];
    const names = tools.map(({ toolSpec }) => toolSpec?.["name"]);
    const turn = this.#next("bedrock", body, { tools: names, turns, opening: openingOf(messages) });
    const { says, calls, thinks } = turn;
    const number = this.answers.bedrock;
    const isThinking = thinks !== undefined && (fields as Json | undefined)?.["thinking"] !== undefined;
    const content = [
      ...(isThinking ? [this.#think(thinks, (signature) => reasoning(thinks, signature))] : []),
      converseText(says),
      ...calls.map((call, at) => converseToolUse(`tooluse_${number}_${at}`, flatName(call), call.input)),
    ];
    const frames = converseFramesOf(converseEventsOf(content, calls.length > 0 ? "tool_use" : "end_turn"));
    return this.#streamed("bedrock", turn, frames, "application/vnd.amazon.eventstream");
  }

  #asResponse({ body }: ResponsesRequest): Response {
    const { tools, input, include, reasoning: settings } = body;
    const items = Array.isArray(input) ? (input as readonly Json[]) : [];
    const problem = problemOfItems(items, this.thoughts);
    if (problem !== undefined) return rejection(400, this.#rejected(problem));
    const isCall = (at: number): boolean => items[at]?.["type"] === "function_call";
    const turns = items.filter((_, at) => isCall(at) && !isCall(at - 1)).length;
    const opening = items.slice(
      0,
      firstIndex(items, ({ type }) => type === "function_call"),
    );
    const turn = this.#next("responses", body, { tools: flatNamesOf(tools), turns, opening });
    const { says, calls, thinks, reads = 0 } = turn;
    const number = this.answers.responses;
    const isThinking = thinks !== undefined && settings != null && (include as readonly unknown[]).includes("reasoning.encrypted_content");
    const reasoningItem = (encrypted: string): Json => ({
      id: `rs_${number}`,
      type: "reasoning",
      summary: [],
      encrypted_content: encrypted,
    });
    const called = calls.map(({ tool, namespace, input: args }, at) => {
      const named = { name: tool, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(args) };
      return { id: `fc_${number}_${at}`, type: "function_call", status: "completed", call_id: `call_${number}_${at}`, ...named };
    });
    const { input_tokens: inputTokens, total_tokens: totalTokens } = RESPONSE_USAGE;
    const usage = { ...RESPONSE_USAGE, input_tokens: inputTokens + reads, total_tokens: totalTokens + reads };
    const thought = isThinking ? [this.#think(thinks, reasoningItem)] : [];
    const script: ScriptedResponse = { items: [...thought, { ...saying(says), id: `msg_${number}` }, ...called], usage };
    return this.#streamed("responses", turn, responseFrames(script, body));
  }

  #asChat({ body }: RecordedRequest): Response {
    const messages = body["messages"] as readonly Turn[];
    const problem = problemOfChat(messages);
    if (problem !== undefined) return Response.json({ error: { message: this.#rejected(problem) } }, { status: 400 });
    const turns = messages.filter((each) => each["tool_calls"] !== undefined).length;
    const tools = ((body["tools"] ?? []) as readonly { function: Json }[]).map((tool) => tool.function["name"]);
    const turn = this.#next("chat", body, { tools, turns, opening: openingOf(messages) });
    const { says, calls, thinks, reads = 0 } = turn;
    const number = this.answers.chat;
    const toolCalls = calls.map((call, index) => {
      const called = { name: flatName(call), arguments: JSON.stringify(call.input) };
      return { index, id: `call_${number}_${index}`, type: "function", function: called };
    });
    const reason = calls.length > 0 ? "tool_calls" : "stop";
    const usage = { ...USAGE, prompt_tokens: USAGE.prompt_tokens + reads };
    const whole = { ...(thinks !== undefined && { reasoning_content: thinks }), content: says };
    if (body["stream"] !== true) {
      this.#charge("chat", turn);
      return Response.json(completion({ ...whole, ...(calls.length > 0 && { tool_calls: toolCalls }) }, { usage }));
    }
    const deltas = [{ role: "assistant", ...whole }, ...(calls.length > 0 ? [{ tool_calls: toolCalls }] : [])];
    const chunks = [...deltas.map((delta) => chunk(delta)), chunk({}, reason), usageChunk(usage), "[DONE]"];
    return this.#streamed(
      "chat",
      turn,
      chunks.map((each) => `data: ${each}\n\n`),
    );
  }

  #asGemini({ body }: GeminiRequest): Response {
    const turns = body.contents.filter(({ parts }) => parts.some(({ functionCall }) => functionCall)).length;
    const tools = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name));
    const opening = body.contents.slice(
      0,
      firstIndex(body.contents, ({ role }) => role === "model"),
    );
    const turn = this.#next("gemini", body as unknown as Json, { tools, turns, opening });
    const { says, calls, thinks } = turn;
    const number = this.answers.gemini;
    const parts = calls.map((call, at) => ({ functionCall: { name: flatName(call), args: call.input, id: `g-${number}-${at}` } }));
    const events = [
      ...(thinks === undefined ? [] : [answerOf([{ text: thinks, thought: true }])]),
      answerOf([{ text: says }]),
      ...(parts.length > 0 ? [answerOf(parts)] : []),
      answerOf([{ text: "" }], "STOP"),
    ];
    return this.#streamed(
      "gemini",
      turn,
      events.map((event) => framesOf([event])),
    );
  }
}

interface Turn extends Json {
  readonly role: string;
  readonly content: string | null | readonly Json[];
}

/** What the Messages API rejects in a conversation: thoughts that are not exactly as they were sent, calls and results without each other. */
function problemOfMessages(messages: readonly Turn[], thoughts: ReadonlyMap<unknown, Json>): string | undefined {
  const spoken = messages.filter(({ role }) => role !== "system").map(({ content }) => (Array.isArray(content) ? (content as Json[]) : []));
  for (const [at, blocks] of spoken.entries()) {
    const forged = blocks.find(
      ({ type, thinking: words, signature }) => type === "thinking" && thoughts.get(signature)?.["thinking"] !== words,
    );
    if (forged) return `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`;
    const called = (spoken[at - 1] ?? []).filter(({ type }) => type === "tool_use").map(({ id }) => id);
    const answered = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => id);
    const unpaired = new Set(called).symmetricDifference(new Set(answered));
    if (unpaired.size > 0) return `messages.${at}: \`tool_use\` ids without \`tool_result\` blocks`;
  }
  return undefined;
}

function problemOfCaching(body: Json): string | undefined {
  const breakpoints = JSON.stringify(body).split('"cache_control":{').length - 1;
  return breakpoints > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints}.` : undefined;
}

/** What the Responses API rejects in a conversation: reasoning that is not as it was sent, calls and results without each other. */
function problemOfItems(items: readonly Json[], thoughts: ReadonlyMap<unknown, Json>): string | undefined {
  const idsOf = (wanted: string): Set<unknown> => new Set(items.filter(({ type }) => type === wanted).map((item) => item["call_id"]));
  const [called, answered] = [idsOf("function_call"), idsOf("function_call_output")];
  for (const id of called) if (!answered.has(id)) return `No tool output found for function call ${String(id)}.`;
  for (const id of answered) if (!called.has(id)) return `No tool call found for function call output with call_id ${String(id)}.`;
  const forged = items.some(({ type, encrypted_content: encrypted }) => type === "reasoning" && !thoughts.has(encrypted));
  return forged ? "The encrypted content could not be verified." : undefined;
}

const CHAT_PARTS: ReadonlySet<unknown> = new Set(["text", "image_url", "file"]);

/** What servers of chat completions reject: results without their calls, and parts that the format does not have. */
function problemOfChat(messages: readonly Turn[]): string | undefined {
  let open = new Set<unknown>();
  for (const [at, { role, content, tool_calls: calls, tool_call_id: id }] of messages.entries()) {
    if (role === "tool" ? !open.delete(id) : open.size > 0) return `messages[${at}]: tool results must follow their calls`;
    if (calls !== undefined) open = new Set((calls as readonly Json[]).map((call) => call["id"]));
    const odd = Array.isArray(content) ? content.find(({ type }: Json) => !CHAT_PARTS.has(type)) : undefined;
    if (odd) return `messages[${at}]: unknown part ${JSON.stringify(odd).slice(0, 80)}`;
  }
  return undefined;
}

/** How many pieces of a stream come before its first content, and up to its first text. */
const CUTS: Readonly<Record<Api, readonly [early: number, late: number]>> = {
  anthropic: [2, 4],
  bedrock: [1, 2],
  vertex: [2, 4],
  responses: [2, 4],
  chat: [0, 1],
  gemini: [0, 1],
};

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

/** A model with these routes, in the order of their priority, as a line of the config file. */
export function declared(id: string, apis: readonly Api[]): string {
  const price = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";
  const routes = apis.map((api, at) => {
    const { model } = APIS.find((each) => each.api === api)!;
    return `{ upstream: ${api}, model: "${model}", priority: ${at + 1} }`;
  });
  return `  - { id: ${id}, routes: [${routes.join(", ")}], price: ${price} }`;
}

function inputOf({ input }: PlannedCall, conversation: string): Json {
  return typeof input === "function" ? input(conversation) : input;
}

/** The name of a tool where there are no namespaces. */
function flatName({ tool, namespace }: PlannedCall): string {
  return namespace === undefined ? tool : `${namespace}__${tool}`;
}

function flatNamesOf(tools: unknown): readonly unknown[] {
  if (!Array.isArray(tools)) return [];
  return (tools as readonly Json[]).flatMap(({ type, name, tools: inner }) =>
    type === "namespace" ? namesOf(inner).map((each) => `${String(name)}__${String(each)}`) : [name],
  );
}

function namesOf(tools: unknown): readonly unknown[] {
  return Array.isArray(tools) ? (tools as readonly Json[]).map(({ name }) => name) : [];
}

/** How many messages have such a block. */
function turnsWith(messages: unknown, is: (block: Json) => boolean): number {
  const hasBlock = ({ content }: Turn): boolean => Array.isArray(content) && content.some((block: Json) => is(block));
  return (messages as readonly Turn[]).filter(hasBlock).length;
}

/** The messages before the model's first. */
function openingOf(messages: unknown): readonly Turn[] {
  const turns = messages as readonly Turn[];
  return turns.slice(
    0,
    firstIndex(turns, ({ role }) => role === "assistant"),
  );
}

function firstIndex<T>(list: readonly T[], is: (item: T) => boolean): number {
  const index = list.findIndex((item) => is(item));
  return index < 0 ? list.length : index;
}
