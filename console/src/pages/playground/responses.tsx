import type { ReactNode } from "react";
import { classes } from "../../parts/classes.ts";
import { ResponseCard } from "./response-card.tsx";
import type { Conversation } from "./use-conversation.ts";
import type { Run } from "./use-run.ts";

type ResponsesProps = Pick<Conversation, "continued" | "continueWith" | "resend" | "sendResults"> & { readonly run: Run };

/** The responses to the last message: one, or two side by side. */
export function Responses({ run: { lanes, keyId, isOver }, continued, continueWith, resend, sendResults }: ResponsesProps): ReactNode {
  const isPair = lanes.length > 1;
  return (
    <div className={classes("grid gap-3", isPair && "lg:grid-cols-2")}>
      {lanes.map(({ response, body }, lane) => (
        <ResponseCard
          // Both lanes may have the same model.
          key={`${lane} ${response.progress().startedAtMs}`}
          response={response}
          body={body}
          keyId={keyId}
          onRetry={resend}
          onToolResults={(results) => sendResults(lane, results)}
          choice={isPair && isOver && <ContinueWith isChosen={lane === continued} onChoose={() => continueWith(lane)} />}
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
