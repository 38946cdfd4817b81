import type { ReactNode } from "react";
import { classes } from "../../../parts/classes.ts";
import { ResponseCard } from "./response-card.tsx";
import type { Conversation } from "../use-conversation.ts";
import type { Run } from "../use-run.ts";

type ResponsesProps = Pick<Conversation, "continued" | "continueWith" | "retry" | "sendResults"> & { readonly run: Run };

/** The responses to the last message: one, or up to four side by side. */
export function Responses({ run: { lanes, keyId, isOver }, continued, continueWith, retry, sendResults }: ResponsesProps): ReactNode {
  const isComparison = lanes.length > 1;
  return (
    <div className={classes("grid gap-3", isComparison && "lg:grid-cols-2")}>
      {lanes.map((lane, at) => (
        <ResponseCard
          // Several lanes may have the same model.
          key={`${at} ${lane.response.progress().startedAtMs}`}
          lane={lane}
          keyId={keyId}
          isComparison={isComparison}
          isRunOver={isOver}
          onRetry={() => retry(at)}
          onToolResults={(results) => sendResults(at, results)}
          choice={isComparison && isOver && <ContinueWith isChosen={at === continued} onChoose={() => continueWith(at)} />}
        />
      ))}
    </div>
  );
}

function ContinueWith({ isChosen, onChoose }: { readonly isChosen: boolean; readonly onChoose: () => void }): ReactNode {
  return (
    <label className="flex h-7 items-center gap-1.5 text-sm whitespace-nowrap">
      <input type="radio" name="continue-with" checked={isChosen} onChange={onChoose} className="size-3.5 accent-accent-fill" />
      Continue with this
    </label>
  );
}
