import { TimerWheel } from "./timer-wheel.ts";

/** The stream of a model: the mock sends it, and the client must receive it. Built once for each model. */
export interface StreamPlan {
  readonly kind: "paced" | "burst" | "idle" | "big";
  /** The number of texts; for an idle stream, the maximum. */
  readonly count: number;
  readonly intervalMs: number;
  /** The events before the end: one with the role, then one for each text. */
  readonly events: readonly Buffer[];
  textAt(index: number): string;
  /** The last events, after this many texts. */
  end(texts: number, withUsage: boolean): Buffer[];
}

export const PROMPT_TOKENS = 32;
/** Enough texts for hours. */
const IDLE_TEXTS = 500;
const BIG_TEXT_BYTES = 4096;
const TEXTS_PER_MIB = 1_048_576 / BIG_TEXT_BYTES;

const plans = new Map<string, StreamPlan | undefined>();

/** Undefined for a model without a stream. */
export function planOf(model: string): StreamPlan | undefined {
  if (!plans.has(model)) plans.set(model, readPlan(model));
  return plans.get(model);
}

function readPlan(model: string): StreamPlan | undefined {
  const [, kind, first, second] = /^(sse|burst|idle|big)-(\d+)(?:-(\d+)|mib)?$/.exec(model) ?? [];
  const number = Number(first);
  if (number === 0) return undefined;
  if (kind === "sse" && second !== undefined) return makePlan(model, "paced", number, Number(second));
  if (kind === "burst") return makePlan(model, "burst", number, 0);
  if (kind === "idle") return makePlan(model, "idle", IDLE_TEXTS, number);
  if (kind === "big" && model.endsWith("mib")) return makePlan(model, "big", number * TEXTS_PER_MIB, 0);
  return undefined;
}

function makePlan(model: string, kind: StreamPlan["kind"], count: number, intervalMs: number): StreamPlan | undefined {
  if (intervalMs > TimerWheel.maxMs) return undefined;
  const padding = kind === "big" ? "x".repeat(BIG_TEXT_BYTES - " w000000".length) : "";
  const textAt = (index: number): string => ` w${String(index).padStart(6, "0")}${padding}`;
  const head = `"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1741569952,"model":${JSON.stringify(model)}`;
  const event = (delta: object, finishReason: string | null): Buffer =>
    Buffer.from(
      `data: {${head},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}]}\n\n`,
    );
  const usage = (texts: number): Buffer => Buffer.from(`data: {${head},"choices":[],"usage":${JSON.stringify(usageOf(texts))}}\n\n`);
  return {
    kind,
    count,
    intervalMs,
    events: [
      event({ role: "assistant", content: "" }, null),
      ...Array.from({ length: count }, (_, index) => event({ content: textAt(index) }, null)),
    ],
    textAt,
    end: (texts, withUsage) => [event({}, "stop"), ...(withUsage ? [usage(texts)] : []), Buffer.from("data: [DONE]\n\n")],
  };
}

/** One token for each text. */
export function usageOf(texts: number): { prompt_tokens: number; completion_tokens: number; total_tokens: number } {
  return { prompt_tokens: PROMPT_TOKENS, completion_tokens: texts, total_tokens: PROMPT_TOKENS + texts };
}
