import { Link } from "@tanstack/react-router";
import { Square } from "lucide-react";
import { useSyncExternalStore, type ReactNode, useLayoutEffect, useRef } from "react";
import { Badge } from "../../../parts/badge.tsx";
import { buttonClass, IconButton } from "../../../parts/button.tsx";
import { CopyIcon } from "../../../parts/copy.tsx";
import { Fold } from "../../../parts/fold.tsx";
import type { Tone } from "../../../parts/notice.tsx";
import { Tabs } from "../../../parts/tabs.tsx";
import { Metrics } from "./response-metrics.tsx";
import type { Phase, Progress } from "./chat-response.ts";
import { FailureNotice } from "./failure-notice.tsx";
import { schemaIn } from "../settings/response-format.ts";
import { SchemaNotice } from "./schema-notice.tsx";
import { ToolResults } from "../prompt/tool-results.tsx";
import { useReceipt } from "./use-receipt.ts";
import type { Lane } from "../use-run.ts";
import { classes } from "../../../parts/classes.ts";
import type { StreamedText } from "./streamed-text.ts";

const PHASES: Record<Phase, { readonly label: string; readonly tone: Tone }> = {
  waiting: { label: "waiting", tone: "plain" },
  streaming: { label: "streaming", tone: "plain" },
  done: { label: "complete", tone: "good" },
  stopped: { label: "stopped", tone: "warn" },
  rejected: { label: "rejected", tone: "bad" },
  interrupted: { label: "incomplete", tone: "bad" },
};

interface ResponseCardProps {
  readonly lane: Lane;
  readonly keyId: string;
  readonly isComparison: boolean;
  /** All responses have ended: the user can continue the conversation. */
  readonly isRunOver: boolean;
  readonly onRetry: () => void;
  readonly onToolResults: (results: readonly string[]) => void;
  /** With several responses: selects the response that the conversation continues with. */
  readonly choice?: ReactNode;
}

/** A response with its metrics. */
export function ResponseCard(props: ResponseCardProps): ReactNode {
  const { lane, keyId, isComparison, onRetry, choice } = props;
  const { response, body, cancel } = lane;
  const progress = useSyncExternalStore(response.subscribe, response.progress);
  const receipt = useReceipt(progress);
  return (
    <section aria-label={`Response from ${response.model}`} className="card flex min-w-0 flex-col">
      <header className="flex items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="min-w-0 truncate font-semibold" title={response.model}>
          {response.model}
        </h2>
        <span role="status">
          <Badge tone={PHASES[progress.phase].tone}>{PHASES[progress.phase].label}</Badge>
        </span>
        <div className="ml-auto flex items-center gap-1">
          {isComparison && progress.endedAtMs === null && (
            <IconButton small label={`Stop ${response.model}`} onClick={cancel}>
              <Square size={12} fill="currentColor" aria-hidden />
            </IconButton>
          )}
          {progress.endedAtMs !== null && response.text.text !== "" && <CopyIcon text={response.text.text} label="Copy response" />}
        </div>
      </header>
      <div className="flex flex-1 flex-col gap-3 p-4">
        <Tabs
          label={`Views of the response from ${response.model}`}
          tabs={[
            { id: "response", label: "Response", content: <Content {...props} progress={progress} /> },
            { id: "raw", label: "Raw", content: <StreamedTextView isCode of={response.raw} label="Raw response" /> },
          ]}
        />
        {progress.failure && (
          <FailureNotice {...{ progress, keyId, onRetry }} failure={progress.failure} charged={receipt?.charged ?? null} />
        )}
      </div>
      <footer className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2.5">
        <Metrics {...{ response, progress, body, receipt }} />
        {progress.phase !== "rejected" && choice}
        {progress.requestId !== null && progress.endedAtMs !== null && (
          <Link to="/requests/$id" params={{ id: progress.requestId }} className={buttonClass("quiet", true)}>
            View request
          </Link>
        )}
      </footer>
    </section>
  );
}

function Content({
  lane: { response, body },
  isComparison,
  isRunOver,
  onToolResults,
  progress,
}: ResponseCardProps & { readonly progress: Progress }): ReactNode {
  const { phase, toolCalls, finishReason } = progress;
  const schema = schemaIn(body);
  const isEmpty = response.text.text === "" && toolCalls.length === 0;
  return (
    <div className="flex flex-col gap-3">
      {response.reasoning.text !== "" && (
        <Fold title="Reasoning">
          <div className="text-ink-2">
            <StreamedTextView of={response.reasoning} label="Reasoning" />
          </div>
        </Fold>
      )}
      <StreamedTextView of={response.text} label="Response" />
      {phase === "waiting" && <div className="skeleton h-4 w-2/3" />}
      {phase === "stopped" && isEmpty && <p className="text-ink-3">Stopped before the first token.</p>}
      {phase === "done" && isEmpty && <p className="text-ink-3">The response is empty.</p>}
      {finishReason === "length" && <p className="text-sm text-ink-3">Truncated at the token limit.</p>}
      {finishReason === "content_filter" && <p className="text-sm text-ink-3">Stopped by the provider's content filter.</p>}
      {schema !== undefined && phase === "done" && toolCalls.length === 0 && (
        <SchemaNotice noun="The response" schema={schema} text={response.text.text} />
      )}
      {toolCalls.length > 0 && (
        <ToolResults
          calls={toolCalls}
          tools={body["tools"]}
          isComplete={phase === "done"}
          canSubmit={phase === "done" && isRunOver}
          isComparison={isComparison}
          onResults={onToolResults}
        />
      )}
    </div>
  );
}

interface StreamedTextViewProps {
  readonly of: StreamedText;
  readonly label: string;
  readonly isCode?: boolean;
}

/**
 * Shows text during its stream. It is untrusted model output, so it goes into a single text node. Text is appended once per frame, without
 * React, so that the cost does not grow with the length.
 */
function StreamedTextView({ of, label, isCode = false }: StreamedTextViewProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const node = document.createTextNode(of.text);
    box.current!.replaceChildren(node);
    let [waiting, frame] = ["", 0];
    const show = (): void => {
      node.appendData(waiting);
      [waiting, frame] = ["", 0];
    };
    const stop = of.listen((chunk) => {
      waiting += chunk;
      frame ||= requestAnimationFrame(show);
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [of]);
  return (
    <div
      ref={box}
      role="group"
      aria-label={label}
      tabIndex={isCode ? 0 : undefined}
      className={classes(
        "break-words whitespace-pre-wrap empty:hidden",
        isCode && "max-h-96 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-sm",
      )}
    />
  );
}
