import { Link } from "@tanstack/react-router";
import { useSyncExternalStore, type ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { buttonClass } from "../../parts/button.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { Fold } from "../../parts/fold.tsx";
import type { Tone } from "../../parts/notice.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Figures } from "./response-metrics.tsx";
import type { Answer, Phase, Progress } from "./chat-response.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { Growing } from "./streamed-text-view.tsx";
import { ToolResults } from "./tool-results.tsx";
import { useReceipt } from "./use-receipt.ts";

const PHASES: Record<Phase, { readonly word: string; readonly tone: Tone }> = {
  waiting: { word: "waiting", tone: "plain" },
  answering: { word: "answering", tone: "plain" },
  done: { word: "complete", tone: "good" },
  stopped: { word: "stopped", tone: "warn" },
  refused: { word: "refused", tone: "bad" },
  broken: { word: "incomplete", tone: "bad" },
};

interface AnswerCardProps {
  readonly answer: Answer;
  readonly body: Readonly<Record<string, unknown>>;
  readonly keyId: string;
  readonly onRetry: () => void;
  readonly onToolResults: (results: readonly string[]) => void;
  /** Where there are two: which one the conversation goes on with. */
  readonly choice?: ReactNode;
}

/** An answer, with what it took. */
export function AnswerCard({ answer, body, keyId, onRetry, onToolResults, choice }: AnswerCardProps): ReactNode {
  const progress = useSyncExternalStore(answer.subscribe, answer.progress);
  const receipt = useReceipt(progress);
  return (
    <section aria-label={`Answer of ${answer.model}`} className="card flex min-w-0 flex-col">
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="min-w-0 truncate font-semibold" title={answer.model}>
          {answer.model}
        </h2>
        <span role="status">
          <Badge tone={PHASES[progress.phase].tone}>{PHASES[progress.phase].word}</Badge>
        </span>
        <div className="ml-auto flex items-center gap-1">
          {progress.endedAtMs !== null && answer.text.text !== "" && <CopyIcon text={answer.text.text} label="Copy the answer" />}
        </div>
      </header>
      <div className="flex flex-1 flex-col gap-3 p-4">
        <Tabs
          label={`Views of the answer of ${answer.model}`}
          tabs={[
            { id: "answer", label: "Answer", content: <Said {...{ answer, progress, onToolResults }} /> },
            { id: "raw", label: "As it came", content: <Growing isCode of={answer.raw} label="The answer as it came" /> },
          ]}
        />
        {progress.failure && (
          <FailureNotice {...{ progress, keyId, onRetry }} failure={progress.failure} charged={receipt?.charged ?? null} />
        )}
      </div>
      <footer className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2.5">
        <Figures {...{ answer, progress, body, receipt }} />
        {progress.phase !== "refused" && choice}
        {progress.requestId !== null && progress.endedAtMs !== null && (
          <Link to="/requests/$id" params={{ id: progress.requestId }} className={buttonClass("quiet", true)}>
            See the request
          </Link>
        )}
      </footer>
    </section>
  );
}

function Said({
  answer,
  progress,
  onToolResults,
}: Pick<AnswerCardProps, "answer" | "onToolResults"> & { readonly progress: Progress }): ReactNode {
  const { phase, toolCalls, finishReason } = progress;
  const isSilent = answer.text.text === "" && toolCalls.length === 0;
  return (
    <div className="flex flex-col gap-3">
      {answer.reasoning.text !== "" && (
        <Fold title="Reasoning">
          <div className="text-ink-2">
            <Growing of={answer.reasoning} label="Reasoning" />
          </div>
        </Fold>
      )}
      <Growing of={answer.text} label="Answer" />
      {phase === "waiting" && <div className="skeleton h-4 w-2/3" />}
      {phase === "stopped" && isSilent && <p className="text-ink-3">It was stopped before anything came.</p>}
      {phase === "done" && isSilent && <p className="text-ink-3">The answer is empty.</p>}
      {finishReason === "length" && <p className="text-sm text-ink-3">It ends here because of the limit on its length.</p>}
      {finishReason === "content_filter" && <p className="text-sm text-ink-3">The provider cut it off by its rules.</p>}
      {toolCalls.length > 0 && <ToolResults calls={toolCalls} canAnswer={phase === "done"} onResults={onToolResults} />}
    </div>
  );
}
