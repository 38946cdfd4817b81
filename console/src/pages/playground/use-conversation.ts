import { useState } from "react";
import { isEmpty, NO_QUESTION, turn, type Question, type Turn } from "./conversation.ts";
import { bodyOf, isUnsendable, type Draft } from "./draft.ts";
import { useRun, type Run } from "./use-run.ts";

/** All that is typed and answered, and what can be done with it. */
export interface Conversation {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly question: Question;
  readonly setQuestion: (change: (before: Question) => Question) => void;
  readonly run: Run | null;
  /** Of several answers, the one that it goes on with. */
  readonly kept: number;
  readonly keep: (lane: number) => void;
  readonly canSend: boolean;
  readonly send: () => void;
  readonly sendResults: (lane: number, results: readonly string[]) => void;
  readonly askAgain: () => void;
  readonly stop: () => void;
  readonly clear: () => void;
  /** What would be sent to a model now. */
  readonly bodyFor: (model: string) => Readonly<Record<string, unknown>>;
}

export function useConversation(keyId: string, models: readonly string[], begin: Draft, firstQuestion: string): Conversation {
  const [draft, setDraft] = useState(begin);
  const [question, setQuestion] = useState<Question>({ ...NO_QUESTION, text: firstQuestion });
  const [kept, keep] = useState(0);
  const { run, start, stop, clear } = useRun();
  const next = nextTurns(draft.turns, run, kept, question);
  const go = (turns: readonly Turn[]): void => {
    const sent = { ...draft, turns };
    setDraft(sent);
    keep(0);
    start(keyId, models, sent);
  };
  return {
    draft,
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    question,
    setQuestion,
    run,
    kept,
    keep,
    canSend: models.length > 0 && isToBeAnswered(next) && !isUnsendable(draft),
    send: () => {
      setQuestion(NO_QUESTION);
      go(next);
    },
    sendResults: (lane, results) => go([...draft.turns, ...calledIn(run, lane, results)]),
    askAgain: () => go(draft.turns),
    stop,
    clear: () => {
      clear();
      setQuestion(NO_QUESTION);
      setDraft((before) => ({ ...before, system: "", turns: [] }));
    },
    bodyFor: (model) => bodyOf(model, { ...draft, turns: next }),
  };
}

/** With a new question the last answer becomes a part of the conversation; without one, the same is asked again. */
function nextTurns(turns: readonly Turn[], run: Run | null, kept: number, question: Question): readonly Turn[] {
  return isEmpty(question) ? turns : [...turns, ...saidIn(run, kept), turn({ role: "user", ...question })];
}

function isToBeAnswered(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last !== undefined && last.role !== "assistant";
}

/** An answer as a message, without the tools that it calls: a call that is followed by no result is refused by providers. */
function saidIn(run: Run | null, lane: number): Turn[] {
  const text = run?.lanes[lane]?.answer.text.text ?? "";
  return text === "" ? [] : [turn({ role: "assistant", text, toolCalls: [] })];
}

/** An answer that calls tools, and what they gave. */
function calledIn(run: Run | null, lane: number, results: readonly string[]): Turn[] {
  const answer = run?.lanes[lane]?.answer;
  if (!answer) return [];
  const { toolCalls } = answer.progress();
  const given = toolCalls.map(({ id }, at) => turn({ role: "tool", callId: id, text: results[at] ?? "" }));
  return [turn({ role: "assistant", text: answer.text.text, toolCalls }), ...given];
}
