import type { WireRequest } from "../../src/upstreams/dialect.ts";
import { geminiDialect } from "../../src/upstreams/gemini/gemini-dialect.ts";
import type { UpstreamCall } from "../../src/upstreams/upstream.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import type { Deviation } from "../../src/models/deviation.ts";
import { ApiError } from "../../src/requests/api-error.ts";
import { NO_CHANGES } from "../../src/models/parameters/parameter-policy.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import { type RemoteSettings } from "../../src/models/upstream-settings.ts";
import { DEFAULT_TIMEOUTS } from "../../src/models/timeouts.ts";
import { chatOf, sentText } from "../support/upstreams/upstream-call.ts";
import type { GeminiBody } from "./gemini-format.ts";

export const BETA = "https://generativelanguage.googleapis.com/v1beta";
export const VERTEX = "https://aiplatform.googleapis.com/v1/publishers/google";

export const question = [{ role: "user", content: "Hello!" }];

export function geminiAt(baseUrl: string): RemoteSettings {
  return remoteAt("g", "gemini", { baseUrl, allowPrivate: false }, []);
}

/** A call of the model `public-name` with this body, as the gateway makes it, and the deviations that it reports. */
export function geminiCall(body: Record<string, unknown>, more: Partial<UpstreamCall> = {}): UpstreamCall & { deviations: Deviation[] } {
  const whole = { model: "public-name", messages: question, ...body };
  const deviations: Deviation[] = [];
  return {
    chat: chatOf(whole),
    model: whole["model"],
    upstreamModel: "gemini-3.5-flash",
    parameterMapping: NO_CHANGES,
    maxTokens: undefined,
    maxOutputTokens: 16_384,
    credential: new Secret("google-credential"),
    timeouts: DEFAULT_TIMEOUTS,
    signal: new AbortController().signal,
    report: (deviation) => deviations.push(deviation),
    deviations,
    ...more,
  };
}

export function requestFor(body: Record<string, unknown>, more: Partial<UpstreamCall> = {}, baseUrl = BETA): WireRequest {
  return geminiDialect.request(geminiCall(body, more), geminiAt(baseUrl));
}

/** The body that is sent. */
export function sentFor(body: Record<string, unknown>, more: Partial<UpstreamCall> = {}, baseUrl = BETA): GeminiBody {
  return JSON.parse(sentText(requestFor(body, more, baseUrl))) as GeminiBody;
}

/** A rejection, as the code and the field that the client receives. */
export function refusalOf(act: () => unknown): [code: string, param: string | null] {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.param];
    throw error;
  }
  throw new Error("nothing was refused");
}
