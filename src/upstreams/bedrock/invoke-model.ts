import { parseExact } from "../../lib/json/exact-json.ts";
import { isObject } from "../../lib/schema/schema.ts";
import { isClaude } from "../../models/parameters/bedrock-models.ts";
import type { RemoteSettings } from "../../models/upstream-settings.ts";
import type { Usage } from "../../money/usage.ts";
import { BEDROCK, cloudError, cloudTerms, toCloudMessages } from "../anthropic/cloud-messages.ts";
import { messagesRelay, RelayedMessageEvents } from "../anthropic/messages-relay.ts";
import type { Relay, WireRequest } from "../dialect.ts";
import { parseAnswer } from "../refusal.ts";
import { refuseDepth } from "../refuse-depth.ts";
import { EventStreamReader } from "../streams/event-stream-reader.ts";
import type { RelayedCall, StreamedCall } from "../upstream.ts";
import { parseFrame } from "./bedrock-events.ts";
import { exceptionInside } from "./bedrock-refusal.ts";
import { readUsage } from "./bedrock-usage.ts";

type Json = Readonly<Record<string, unknown>>;

/** The body of `InvokeModel` for Claude: a Messages request with its version and betas, and without the model and `stream`. */
export function toInvokeBody(call: RelayedCall, settings: RemoteSettings): WireRequest["body"] {
  const own = (betas: readonly string[]): Json => {
    const all = [...operatorsBetas(call, settings), ...betas];
    return { anthropic_version: "bedrock-2023-05-31", ...(all.length > 0 && { anthropic_beta: all }) };
  };
  return toCloudMessages(call, BEDROCK, own, ["model", "stream"]).body;
}

/** The betas that the operator adds to the header of Anthropic's own API. */
function operatorsBetas(call: RelayedCall, settings: RemoteSettings): string[] {
  const header = call.headers?.["anthropic-beta"] ?? settings.headers?.["anthropic-beta"];
  return header
    ? header
        .reveal()
        .split(",")
        .map((beta) => beta.trim())
    : [];
}

/** The beginning of the fields that Bedrock adds: its counts, and results of the operator's guardrail. */
const OWN_FIELD = "amazon-bedrock-";

/** The same JSON without Bedrock's own fields, which are returned apart. Nearly all JSON has none. */
function withoutOwnFields(json: string): readonly [json: string, own: Json | undefined] {
  if (!json.includes(OWN_FIELD)) return [json, undefined];
  const parsed = parseAnswer(json, parseExact);
  if (!isObject(parsed)) return [json, undefined];
  const isOwn = ([name]: readonly [string, unknown]): boolean => name.startsWith(OWN_FIELD);
  const fields = Object.entries(parsed);
  return [JSON.stringify(Object.fromEntries(fields.filter((field) => !isOwn(field)))), Object.fromEntries(fields.filter(isOwn))];
}

/** The events of a Messages stream, in frames of AWS: `{"chunk": {"bytes": …}}`, or an exception. */
export class InvokeModelEvents extends RelayedMessageEvents {
  readonly #call: StreamedCall;
  /** Bedrock's counts, if the model has not reported its own. */
  #metered: Usage | undefined;

  constructor(call: StreamedCall) {
    super(call);
    this.#call = call;
  }

  override get usage(): Usage | undefined {
    return this.#metered ?? super.usage;
  }

  override get uncountedBytes(): number {
    return this.#metered ? 0 : super.uncountedBytes;
  }

  override get isOutputUncounted(): boolean {
    return !this.#metered && super.isOutputUncounted;
  }

  override take(frame: string, events: string[]): boolean {
    const [type, payload] = parseFrame(frame);
    if (type === "error" || /exception$/i.test(type)) throw exceptionInside(type, payload);
    const { bytes } = payload;
    if (type === "chunk" && typeof bytes === "string") {
      const event = utf8.decode(Buffer.from(bytes, "base64"));
      // The frame was checked, but not what is encoded in it.
      refuseDepth(event);
      const [ofModel, own] = withoutOwnFields(event);
      if (own) this.#takeMetrics(own[METRICS]);
      return super.take(ofModel, events);
    }
    this.#call.report("event_unexpected");
    return false;
  }

  /** The client has not seen Bedrock's counts, so they are written as if they differed from the model's. */
  override endEvents(usage: Usage): readonly string[] {
    return super.endEvents(usage === this.#metered ? { ...usage } : usage);
  }

  #takeMetrics(metrics: unknown): void {
    if (isObject(metrics) && super.isOutputUncounted) this.#metered = readMetrics(metrics, this.#call);
  }
}

/** Bedrock's counts, in the last event. */
const METRICS = `${OWN_FIELD}invocationMetrics`;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function readMetrics(metrics: Json, call: StreamedCall): Usage | undefined {
  const { inputTokenCount: inputTokens, outputTokenCount: outputTokens } = metrics;
  const { cacheReadInputTokenCount: cacheReadInputTokens, cacheWriteInputTokenCount: cacheWriteInputTokens } = metrics;
  return readUsage({ inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens }, call);
}

/** Claude at `InvokeModel` and `InvokeModelWithResponseStream`, which take requests in Anthropic's own format. */
export const invokeModelRelay: Omit<Relay, "request"> = {
  takes: (_settings, upstreamModel) => isClaude(upstreamModel),
  terms: (relayed, upstreamModel) => cloudTerms(relayed, upstreamModel, BEDROCK),
  readCompletion: (text, call, headers) => messagesRelay.readCompletion(withoutOwnFields(text)[0], call, headers),
  readEvents: (call) => new InvokeModelEvents(call),
  openReader: () => new EventStreamReader(),
  rejectsReasoning: messagesRelay.rejectsReasoning,
  errorIn: cloudError,
};
