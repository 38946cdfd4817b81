import { bedrockParameters } from "../../src/models/parameters/bedrock-parameters.ts";
import { mapParameters } from "../../src/requests/map-parameters.ts";
import type { Deviation } from "../../src/models/deviation.ts";
import { DEFAULT_TIMEOUTS } from "../../src/models/timeouts.ts";
import type { UpstreamCall } from "../../src/upstreams/upstream.ts";
import { chatOf } from "../support/upstreams/upstream-call.ts";

/** Claude models with a thinking budget and with an effort level, and models of other providers. */
export const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const NEWER_CLAUDE = "global.anthropic.claude-opus-4-6-v1";
export const NOVA = "amazon.nova-lite-v1:0";
export const NOVA_2 = "us.amazon.nova-2-lite-v1:0";
export const GPT_OSS = "openai.gpt-oss-120b-1:0";
export const LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0";

export interface CallOptions {
  readonly upstreamModel?: string;
  readonly maxTokens?: number;
  readonly reported?: Deviation[];
}

/** The upstream call that the gateway makes for a request body. */
export function callOf(body: Record<string, unknown>, options: CallOptions = {}): UpstreamCall {
  const { upstreamModel = CLAUDE, maxTokens, reported = [] } = options;
  const text = JSON.stringify({ model: "public", messages: [{ role: "user", content: "Hello!" }], ...body });
  const parsed = JSON.parse(text) as Record<string, unknown>;
  return {
    chat: chatOf(parsed, text),
    model: parsed["model"] as string,
    upstreamModel,
    parameterMapping: mapParameters(parsed, bedrockParameters(upstreamModel), {}),
    maxTokens,
    maxOutputTokens: 16_384,
    credential: undefined,
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report: (deviation) => void reported.push(deviation),
  };
}
