import { useEffect, useState, type ReactNode } from "react";
import type { Receipt } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { count, duration, exactMoney, money } from "../../parts/format.ts";
import type { Answer, Progress } from "./chat-response.ts";
import { isWithoutReceipt } from "./use-receipt.ts";
import { costOf, estimateAnswer, estimatePrompt, tokensPerSecond } from "./estimate.ts";

interface FiguresProps {
  readonly answer: Answer;
  readonly progress: Progress;
  readonly body: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt | undefined;
}

/** What an answer takes, while it comes and when it is there. What is only estimated says so. */
export function Figures(props: FiguresProps): ReactNode {
  const { startedAtMs, endedAtMs, phase } = props.progress;
  const nowMs = useNow(endedAtMs === null);
  const untilMs = endedAtMs ?? Math.max(nowMs, startedAtMs);
  if (phase !== "refused") return <AnswerFigures {...props} untilMs={untilMs} />;
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1.5">
      <Figure name="Elapsed" value={duration(untilMs - startedAtMs)} />
      {isWithoutReceipt(props.progress) ? <Figure name="Cost" value="nothing" /> : <Charged receipt={props.receipt} />}
    </dl>
  );
}

function AnswerFigures({ answer, progress, body, receipt, untilMs }: FiguresProps & { readonly untilMs: number }): ReactNode {
  const { startedAtMs, firstTokenAtMs } = progress;
  const tokens = useTokens({ progress, body, receipt });
  const speed = tokensPerSecond(tokens.completionTokens, firstTokenAtMs, untilMs);
  const about = tokens.isExact ? "" : "≈ ";
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1.5">
      <Figure name="First token" value={firstTokenAtMs === null ? "–" : duration(firstTokenAtMs - startedAtMs)} />
      <Figure name="Elapsed" value={duration(untilMs - startedAtMs)} />
      <Figure name="Tokens in" value={`${about}${count(tokens.promptTokens)}`} />
      <Figure name="Tokens out" value={`${about}${count(tokens.completionTokens)}`} />
      <Figure name="Tokens a second" value={speed === null ? "–" : `${about}${speed < 10 ? speed.toFixed(1) : count(Math.round(speed))}`} />
      {receipt || progress.phase === "broken" ? <Charged receipt={receipt} /> : <EstimatedCost model={answer.model} tokens={tokens} />}
    </dl>
  );
}

function Figure({ name, value, title }: { readonly name: string; readonly value: string; readonly title?: string }): ReactNode {
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

/** As they were counted; until then, as the bytes have it. */
function useTokens({ progress, body, receipt }: Omit<FiguresProps, "answer">): Tokens {
  const [prompt] = useState(() => estimatePrompt(body));
  if (receipt?.usage) {
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = receipt.usage;
    return { promptTokens, completionTokens, isExact: receipt.provenance !== "estimated" };
  }
  if (progress.usage) return { ...progress.usage, isExact: true };
  return { promptTokens: prompt, completionTokens: estimateAnswer(progress.saidBytes), isExact: false };
}

/** What the receipt says. Until it is there nobody can know. */
function Charged({ receipt }: Pick<FiguresProps, "receipt">): ReactNode {
  if (!receipt) return <Figure name="Cost" value="–" />;
  const charged = receipt.charged ?? "0";
  return <Figure name="Cost" value={money(charged)} title={`${exactMoney(charged)}, as charged`} />;
}

function EstimatedCost({ model, tokens }: { readonly model: string; readonly tokens: Tokens }): ReactNode {
  const { data } = useLook("showModel", { path: { id: model } });
  if (!data?.price) return <Figure name="Cost" value="–" />;
  return <Figure name="Cost, estimated" value={`≈ ${money(costOf(data.price, tokens))}`} />;
}

const TICK_MS = 100;
const now = (): number => performance.timeOrigin + performance.now();

/** The time, while it matters. */
function useNow(isTicking: boolean): number {
  const [nowMs, setNowMs] = useState(now);
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNowMs(now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
