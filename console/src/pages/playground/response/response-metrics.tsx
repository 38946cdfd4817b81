import { useEffect, useState, type ReactNode } from "react";
import type { Receipt } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { count, duration, exactMoney, money, toTenths } from "../../../parts/format/format.ts";
import type { ChatResponse, Progress } from "./chat-response.ts";
import { isWithoutReceipt } from "./use-receipt.ts";
import { costOf, estimateCompletion, estimatePrompt, tokensPerSecond } from "../estimate.ts";

interface MetricsProps {
  readonly response: ChatResponse;
  readonly progress: Progress;
  readonly body: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt | undefined;
}

/** The metrics of a response, during the stream and after it. Estimates are marked. */
export function Metrics(props: MetricsProps): ReactNode {
  const { startedAtMs, endedAtMs, phase } = props.progress;
  const nowMs = useNow(endedAtMs === null);
  const untilMs = endedAtMs ?? Math.max(nowMs, startedAtMs);
  if (phase !== "rejected") return <ResponseMetrics {...props} untilMs={untilMs} />;
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1.5">
      <Metric name="Duration" value={duration(untilMs - startedAtMs)} />
      {isWithoutReceipt(props.progress) ? <Metric name="Cost" value={money("0")} /> : <Charged receipt={props.receipt} />}
    </dl>
  );
}

function ResponseMetrics({ response, progress, body, receipt, untilMs }: MetricsProps & { readonly untilMs: number }): ReactNode {
  const { startedAtMs, firstTokenAtMs } = progress;
  const tokens = useTokens({ progress, body, receipt });
  const speed = tokensPerSecond(tokens.completionTokens, firstTokenAtMs, untilMs);
  const approx = tokens.isExact ? "" : "≈ ";
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1.5">
      <Metric name="Time to first token" value={firstTokenAtMs === null ? "–" : duration(firstTokenAtMs - startedAtMs)} />
      <Metric name="Duration" value={duration(untilMs - startedAtMs)} />
      <Metric name="Input tokens" value={`${approx}${count(tokens.promptTokens)}`} />
      <Metric name="Output tokens" value={`${approx}${count(tokens.completionTokens)}`} />
      <Metric
        name="Tokens per second"
        value={speed === null ? "–" : `${approx}${speed < 10 ? toTenths(speed) : count(Math.round(speed))}`}
      />
      {receipt || progress.phase === "interrupted" ? (
        <Charged receipt={receipt} />
      ) : (
        <EstimatedCost model={response.model} tokens={tokens} />
      )}
    </dl>
  );
}

function Metric({ name, value, title }: { readonly name: string; readonly value: string; readonly title?: string }): ReactNode {
  return (
    <div>
      <dt className="text-xs text-ink-3">{name}</dt>
      <dd className="figures text-sm font-medium" title={title}>
        {value}
      </dd>
    </div>
  );
}

interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly isExact: boolean;
}

/** The reported token counts; until they arrive, an estimate from the bytes. */
function useTokens({ progress, body, receipt }: Omit<MetricsProps, "response">): Tokens {
  const [prompt] = useState(() => estimatePrompt(body));
  if (receipt?.usage) {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = receipt.usage;
    return { promptTokens, completionTokens, isExact: receipt.provenance !== "estimated" };
  }
  if (progress.usage) return { ...progress.usage, isExact: true };
  return { promptTokens: prompt, completionTokens: estimateCompletion(progress.receivedBytes), isExact: false };
}

/** The charge, known only from the receipt. */
function Charged({ receipt }: Pick<MetricsProps, "receipt">): ReactNode {
  if (!receipt) return <Metric name="Cost" value="–" />;
  const charged = receipt.charged ?? "0";
  return <Metric name="Cost" value={money(charged)} title={`${exactMoney(charged)} charged`} />;
}

function EstimatedCost({ model, tokens }: { readonly model: string; readonly tokens: Tokens }): ReactNode {
  const { data } = useApiQuery("showModel", { path: { id: model } });
  if (!data?.price) return <Metric name="Cost" value="–" />;
  return <Metric name="Estimated cost" value={`≈ ${money(costOf(data.price, tokens))}`} />;
}

const TICK_MS = 100;
const now = (): number => performance.timeOrigin + performance.now();

/** The current time, updated during the stream. */
function useNow(isTicking: boolean): number {
  const [nowMs, setNowMs] = useState(now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNowMs(now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
