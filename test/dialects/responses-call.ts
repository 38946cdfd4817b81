import type { Usage } from "../../src/money/usage.ts";
import type { Deviation } from "../../src/models/deviation.ts";
import { remoteAt } from "../../src/models/declared-upstream.ts";
import { parameterRules } from "../../src/models/parameters/dialect-parameters.ts";
import { Secret } from "../../src/lib/secret/secret.ts";
import type { RemoteSettings } from "../../src/models/upstream-settings.ts";
import { mapParameters } from "../../src/requests/map-parameters.ts";
import { responsesDialect } from "../../src/upstreams/openai/openai-dialect.ts";
import { EventReader } from "../../src/upstreams/streams/read-events.ts";
import type { UpstreamCall } from "../../src/upstreams/upstream.ts";
import { callOf, chatOf, sentText } from "../support/upstreams/upstream-call.ts";

type Json = Record<string, unknown>;

export const SETTINGS: RemoteSettings = {
  ...remoteAt("r", "openai", { baseUrl: "https://api.openai.com/v1", allowPrivate: false }, []),
  dialect: "responses",
};

/** A call of the model `public-name` with this body, as the gateway makes it, and the deviations that it reports. */
export function responsesCall(body: Json, more: Partial<UpstreamCall> = {}): UpstreamCall & { deviations: Deviation[] } {
  const whole: Json = { model: "public-name", messages: [{ role: "user", content: "Hello!" }], ...body };
  const deviations: Deviation[] = [];
  const call = callOf(chatOf(whole), {
    upstreamModel: "gpt-5.5-codex",
    parameterMapping: mapParameters(whole, parameterRules(SETTINGS, "gpt-5.5-codex"), {}),
    credential: new Secret("openai-credential"),
    report: (deviation) => deviations.push(deviation),
    ...more,
  });
  return { ...call, deviations };
}

/** The body that is sent. */
export function sentFor(body: Json, more: Partial<UpstreamCall> = {}): Json {
  return JSON.parse(sentText(responsesDialect.request(responsesCall(body, more), SETTINGS))) as Json;
}

/** The items that are sent for these messages. */
export function itemsFor(messages: readonly Json[]): Json[] {
  return sentFor({ messages })["input"] as Json[];
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };

/** The result of a stream. */
export interface StreamResult {
  /** The text that the gateway sends, with the token counts and the end. */
  readonly text: string;
  readonly usage: Usage | undefined;
  readonly uncountedBytes: number;
  readonly deviations: readonly Deviation[];
}

export function framesOf(events: readonly Json[]): Buffer {
  return Buffer.from(events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
}

/** Reads a stream of these events, its bytes split at these positions. Throws the error that the gateway would receive. */
export function readStream(events: readonly Json[], cuts: readonly number[] = []): StreamResult {
  const call = responsesCall({ stream: true });
  const translator = responsesDialect.readEvents(call);
  const reader = new EventReader();
  const chunks: string[] = [];
  const bytes = framesOf(events);
  const borders = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((one, other) => one - other);
  let hasEnded = false;
  for (const [at, border] of borders.slice(1).entries()) {
    for (const event of reader.feed(bytes.subarray(borders[at], border))) hasEnded ||= translator.take(event, chunks);
  }
  translator.requireFinished();
  chunks.push(...translator.endEvents(translator.usage ?? NO_USAGE, {}), "[DONE]");
  const text = chunks.map((chunk) => `data: ${chunk}\n\n`).join("");
  return { text, usage: translator.usage, uncountedBytes: translator.uncountedBytes, deviations: call.deviations };
}
