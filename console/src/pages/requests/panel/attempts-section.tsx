import type { ReactNode } from "react";
import type { LoggedAttempt, LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { classes } from "../../../parts/classes.ts";
import { duration } from "../../../parts/format/format.ts";
import { formatAttempt } from "../format-outcome.ts";
import { PanelSection } from "./panel-section.tsx";
import { layOut, type Bar } from "./waterfall.ts";

interface AttemptsSectionProps {
  readonly request: LoggedRequestInFull;
  readonly attempts: readonly LoggedAttempt[];
}

/** The upstream attempts on a timeline. The text beside each bar has the same information. */
export function AttemptsSection({ request, attempts }: AttemptsSectionProps): ReactNode {
  const { totalMs, bars, firstToken } = layOut(request, attempts);
  const overheadMs = request.overhead_ms;
  return (
    <PanelSection title="Attempts" note={overheadMs === null ? undefined : `${duration(overheadMs)} gateway overhead`}>
      <ol className="flex flex-col gap-3">
        {attempts.map((attempt, at) => (
          <li key={at}>
            <AttemptText attempt={attempt} isInterrupted={bars[at]!.isInterrupted} />
            <Track bar={bars[at]!} attempt={attempt} firstToken={attempt.outcome === "answered" ? firstToken : undefined} />
          </li>
        ))}
      </ol>
      <div className="figures mt-1.5 flex justify-between text-xs text-ink-3" aria-hidden>
        <span>0</span>
        <span>{duration(totalMs)}</span>
      </div>
      <Legend hasStream={bars.some(({ streaming }) => streaming > 0)} hasFirstToken={firstToken !== undefined} />
    </PanelSection>
  );
}

function AttemptText({ attempt, isInterrupted }: { readonly attempt: LoggedAttempt; readonly isInterrupted: boolean }): ReactNode {
  const { upstream, model, started_ms: startMs, duration_ms: lengthMs, outcome, detail } = attempt;
  const after = lengthMs === null ? "" : ` after ${duration(lengthMs)}`;
  return (
    <>
      <p className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate" title={`${upstream}, ${model}`}>
          <span className="font-medium">{upstream}</span> <span className="text-ink-3">{model}</span>
        </span>
        <span className={classes("figures shrink-0 text-sm", outcome === "answered" && !isInterrupted ? "text-ink-2" : "text-bad")}>
          <span className="sr-only">at {duration(startMs)}: </span>
          {formatAttempt(outcome)}
          {after}
          {isInterrupted && ", then interrupted"}
        </span>
      </p>
      {detail && <p className="text-sm break-words text-ink-2">{detail}</p>}
    </>
  );
}

interface TrackProps {
  readonly bar: Bar;
  readonly attempt: LoggedAttempt;
  readonly firstToken: number | undefined;
}

function Track({ bar: { start, waiting, streaming, isInterrupted }, attempt, firstToken }: TrackProps): ReactNode {
  const isAnswered = attempt.outcome === "answered";
  return (
    <div className="relative mt-1 h-3 rounded-sm bg-sunken" aria-hidden title={`Started at ${duration(attempt.started_ms)}`}>
      <div
        className={classes("absolute inset-y-0 rounded-sm", isAnswered ? "bg-series-1" : "bg-bad-solid")}
        style={{ left: `${start}%`, width: `${waiting}%` }}
      />
      {streaming > 0 && (
        <div
          className={classes("absolute inset-y-0 rounded-r-sm bg-series-1/40", isInterrupted && "border-r-3 border-bad-solid")}
          style={{ left: `${start + waiting}%`, width: `${streaming}%` }}
        />
      )}
      {firstToken !== undefined && (
        <div className="absolute -inset-y-0.5 w-0.5 bg-ink" style={{ left: `${Math.min(firstToken, 99.5)}%` }} />
      )}
    </div>
  );
}

function Legend({ hasStream, hasFirstToken }: { readonly hasStream: boolean; readonly hasFirstToken: boolean }): ReactNode {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-3" aria-hidden>
      <li className="flex items-center gap-1.5">
        <span className="size-2.5 rounded-sm bg-series-1" /> waiting
      </li>
      {hasStream && (
        <li className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-sm bg-series-1/40" /> streaming
        </li>
      )}
      {hasFirstToken && (
        <li className="flex items-center gap-1.5">
          <span className="h-3 w-0.5 bg-ink" /> first token
        </li>
      )}
    </ul>
  );
}
