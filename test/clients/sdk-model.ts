import { CREDENTIAL as ANTHROPIC_CREDENTIAL, refusal, startAnthropicServer, type Answer } from "../dialects/anthropic-server.ts";
import { text, thinking, toolUse } from "../dialects/messages-answers.ts";
import { RESPONSES_CREDENTIAL, rejection, saying, startResponsesServer, type ScriptedResponse } from "../responses/responses-server.ts";
import { chunk, completion, events, startMockUpstream, usageChunk, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ledgerOf } from "../money/ledger-of.ts";

type Json = Readonly<Record<string, unknown>>;

/** What the SDKs send, in each language. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
export const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF").toString("base64");
export const SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, sky: { type: "string" } },
  required: ["city", "sky"],
  additionalProperties: false,
} as const;

export const TOOL_SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

const THOUGHT = "They want the weather.";
const SIGNATURE = "c2lnbmVkIGJ5IENsYXVkZQ==";
const ENCRYPTED = "ZW5jcnlwdGVkIHJlYXNvbmluZw==";
const STRUCTURED = JSON.stringify({ city: "Oslo", sky: "rain" });
const OSLO = { city: "Oslo" };

/** What a request asks for, whichever API it came to. */
interface Wish {
  readonly hasTools: boolean;
  readonly hasResult: boolean;
  readonly isStructured: boolean;
}

const wordsFor = ({ isStructured, hasResult }: Wish): string =>
  isStructured ? STRUCTURED : hasResult ? "It rains in Oslo." : "Hello world";

/** A gateway with a model behind three APIs. It calls the tool that is offered, thinks if it may, and writes JSON if that is required. */
export interface SdkGateway {
  readonly gateway: RunningGateway;
  /** The bodies that the upstreams have accepted, as text. */
  readonly bodies: string[];
  /** What the answers of the upstreams have cost, in nano-dollars. */
  readonly bill: bigint[];
  /** The charges of a key. */
  chargesOf(keyId: string): bigint[];
  stop(): Promise<void>;
}

/** 10 uncached tokens at 1, 3 cached at 0.1, 2 written to the cache at 1.25, and 7 of output at 2 millionths of a dollar. */
const COST = 26_800n;
/** 4 uncached tokens, 1 cached and 2 of output. */
const CHAT_COST = 8_100n;

const PRICE = "{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, cache_write_per_million: 1.25 }";

function upstream(id: string, dialect: string, baseUrl: string, credential: string): string {
  return `  - { id: ${id}, ${dialect}, base_url: "${baseUrl}", allow_private: true, credential: ${credential} }`;
}

function model(id: string, from: string, name: string): string {
  return `  - { id: ${id}, price: ${PRICE}, routes: [{ upstream: ${from}, model: ${name} }] }`;
}

export async function startSdkGateway(): Promise<SdkGateway> {
  const bodies: string[] = [];
  const bill: bigint[] = [];
  const note = (body: unknown, cost: bigint): void => {
    bodies.push(JSON.stringify(body));
    bill.push(cost);
  };
  const claude = startAnthropicServer({
    "up-claude": (body) => {
      note(body, COST);
      return asMessage(body);
    },
    "up-refusing": () => refusal(400, "invalid_request_error", "max_tokens: 9 is too few for this model"),
  });
  const gpt = startResponsesServer({
    "up-gpt": ({ body }) => {
      note(body, COST);
      return asResponse(body);
    },
    "up-refusing": () => rejection(400, "The input is too odd for this model", "invalid_prompt"),
  });
  const llama = startMockUpstream({
    "up-llama": (request) => {
      note(request.body, CHAT_COST);
      return asChat(request);
    },
  });
  const gateway = await startGateway({
    yaml: `endpoints: [messages, responses]
upstreams:
${upstream("claude", "dialect: anthropic", claude.baseUrl, ANTHROPIC_CREDENTIAL)}
${upstream("gpt", "dialect: openai, preset: openai", gpt.baseUrl, RESPONSES_CREDENTIAL)}
${upstream("llama", "dialect: openai", llama.baseUrl, "llama-canary")}
models:
${model("claude", "claude", "up-claude")}
${model("claude-refusing", "claude", "up-refusing")}
${model("gpt", "gpt", "up-gpt")}
${model("gpt-refusing", "gpt", "up-refusing")}
${model("llama", "llama", "up-llama")}
`,
  });
  return {
    gateway,
    bodies,
    bill,
    chargesOf(keyId) {
      const settled = ledgerOf(gateway).filter((row) => row.key_id === keyId && row.kind === "settle");
      return settled.map((row) => row.amount_nanos);
    },
    async stop() {
      await gateway.stop();
      await Promise.all([claude.stop(), gpt.stop(), llama.stop()]);
    },
  };
}

function asMessage(body: Json): Answer {
  const messages = JSON.stringify(body["messages"]);
  const isThinking = (body["thinking"] as Json | undefined)?.["type"] === "enabled";
  if (messages.includes('"thinking"') && !messages.includes(SIGNATURE)) {
    return refusal(400, "invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block");
  }
  const output = (body["output_config"] ?? {}) as Json;
  const wish = {
    hasTools: body["tools"] !== undefined,
    hasResult: messages.includes('"tool_result"'),
    isStructured: output["format"] !== undefined,
  };
  const thoughts = isThinking ? [thinking(THOUGHT, SIGNATURE)] : [];
  if (wish.hasTools && !wish.hasResult) return { content: [...thoughts, toolUse("toolu_1", "weather", OSLO)], stopReason: "tool_use" };
  return { content: [...thoughts, text(wordsFor(wish))] };
}

function asResponse(body: Json): ScriptedResponse | Response {
  const input = JSON.stringify(body["input"]);
  const isThinking = (body["reasoning"] as Json | undefined)?.["effort"] === "high";
  if (input.includes('"reasoning"') && !input.includes(ENCRYPTED)) {
    return rejection(400, "The encrypted content could not be verified.", "invalid_encrypted_content");
  }
  const format = ((body["text"] ?? {}) as Json)["format"] as Json | undefined;
  const wish = {
    hasTools: body["tools"] !== undefined,
    hasResult: input.includes('"function_call_output"'),
    isStructured: format?.["type"] === "json_schema",
  };
  const summary = [{ type: "summary_text", text: THOUGHT }];
  const thoughts = isThinking ? [{ id: "rs_1", type: "reasoning", summary, encrypted_content: ENCRYPTED }] : [];
  const call = {
    id: "fc_1",
    type: "function_call",
    status: "completed",
    call_id: "call_1",
    name: "weather",
    arguments: JSON.stringify(OSLO),
  };
  return { items: [...thoughts, wish.hasTools && !wish.hasResult ? call : saying(wordsFor(wish))] };
}

function asChat({ body }: RecordedRequest): Response {
  const messages = body["messages"] as readonly Json[];
  const wish = {
    hasTools: body["tools"] !== undefined,
    hasResult: messages.some(({ role }) => role === "tool"),
    isStructured: body["response_format"] !== undefined,
  };
  const call = { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: JSON.stringify(OSLO) } };
  const isCall = wish.hasTools && !wish.hasResult;
  const message = { reasoning_content: THOUGHT, ...(isCall ? { content: null, tool_calls: [call] } : { content: wordsFor(wish) }) };
  const reason = isCall ? "tool_calls" : "stop";
  if (body["stream"] !== true) {
    const choice = { index: 0, message: { role: "assistant", ...message }, finish_reason: reason, logprobs: null };
    return Response.json(completion({}, { choices: [choice] }));
  }
  return events([chunk({ role: "assistant", ...message }), chunk({}, reason), usageChunk()]);
}
