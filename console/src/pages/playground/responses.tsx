import type { ReactNode } from "react";
import { classes } from "../../parts/classes.ts";
import { AnswerCard } from "./response-card.tsx";
import type { Conversation } from "./use-conversation.ts";
import type { Run } from "./use-run.ts";

type AnswersProps = Pick<Conversation, "kept" | "keep" | "askAgain" | "sendResults"> & { readonly run: Run };

/** The answers to the last question: one, or two beside each other. */
export function Answers({ run: { lanes, keyId, isOver }, kept, keep, askAgain, sendResults }: AnswersProps): ReactNode {
  const isPair = lanes.length > 1;
  return (
    <div className={classes("grid gap-3", isPair && "lg:grid-cols-2")}>
      {lanes.map(({ answer, body }, lane) => (
        <AnswerCard
          // Two lanes may ask the same model.
          key={`${lane} ${answer.progress().startedAtMs}`}
          answer={answer}
          body={body}
          keyId={keyId}
          onRetry={askAgain}
          onToolResults={(results) => sendResults(lane, results)}
          choice={isPair && isOver && <GoOn isChosen={lane === kept} onChoose={() => keep(lane)} />}
        />
      ))}
    </div>
  );
}

function GoOn({ isChosen, onChoose }: { readonly isChosen: boolean; readonly onChoose: () => void }): ReactNode {
  return (
    <label className="flex h-7 items-center gap-1.5 text-sm whitespace-nowrap">
      <input type="radio" name="go-on-with" checked={isChosen} onChange={onChoose} className="size-3.5 accent-accent-fill" />
      Go on with this
    </label>
  );
}
