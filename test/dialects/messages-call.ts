import type { ParameterPolicy } from "../../src/models/parameters/parameter-policy.ts";
import { mapParameters } from "../../src/requests/map-parameters.ts";
import { anthropicParameters } from "../../src/models/parameters/anthropic-parameters.ts";
import type { Deviation } from "../../src/models/deviation.ts";
import { DEFAULT_TIMEOUTS } from "../../src/models/timeouts.ts";
import type { UpstreamCall } from "../../src/upstreams/upstream.ts";
import { chatOf } from "../support/upstreams/upstream-call.ts";

/** A model of the generation that receives a thinking budget. */
export const OLDER = "claude-sonnet-4-5";
/** A model that receives an effort level. */
export const NEWER = "claude-opus-4-6";

export interface CallOptions {
  readonly upstreamModel?: string;
  readonly maxTokens?: number;
  readonly policy?: ParameterPolicy;
  readonly reported?: Deviation[];
}

/** The upstream call that the gateway makes for a request body. */
export function callOf(body: Record<string, unknown>, options: CallOptions = {}): UpstreamCall {
  const { upstreamModel = OLDER, maxTokens, policy = {}, reported = [] } = options;
  const text = JSON.stringify({ model: "public", messages: [{ role: "user", content: "Hello!" }], ...body });
  const parsed = JSON.parse(text) as Record<string, unknown>;
  return {
    chat: chatOf(parsed, text),
    model: parsed["model"] as string,
    upstreamModel,
    parameterMapping: mapParameters(parsed, anthropicParameters(upstreamModel), policy),
    maxTokens,
    maxOutputTokens: 16_384,
    credential: undefined,
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report: (deviation) => void reported.push(deviation),
  };
}
