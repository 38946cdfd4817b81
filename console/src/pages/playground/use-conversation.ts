import { useState } from "react";
import { useMe } from "../../shell/me.ts";
import { isEmpty, EMPTY_PROMPT, turn, type Prompt, type Turn } from "./conversation.ts";
import { bodyOf, isInvalid, type Draft } from "./draft.ts";
import { addRun } from "./history/run-history.ts";
import { reopened, toStored, type StoredRun } from "./history/stored-run.ts";
import { useRun, type Run } from "./use-run.ts";

/** The state of the playground and its actions. */
export interface Conversation {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly prompt: Prompt;
  readonly setPrompt: (change: (before: Prompt) => Prompt) => void;
  readonly run: Run | null;
  /** With several responses, the position of the response that the conversation continues with. */
  readonly continued: number;
  readonly continueWith: (lane: number) => void;
  readonly canSend: boolean;
  readonly send: () => void;
  readonly sendResults: (lane: number, results: readonly string[]) => void;
  /** Sends the request to one model again, with the current settings. */
  readonly retry: (lane: number) => void;
  readonly stop: () => void;
  readonly clear: () => void;
  /** Shows a run from the history. */
  readonly reopen: (stored: StoredRun) => void;
  /** The ID of the signed-in person, who owns the history and the prompts. */
  readonly person: string;
  /** The request body for a model. */
  readonly bodyFor: (model: string, lane: number) => Readonly<Record<string, unknown>>;
}

export function useConversation(keyId: string, models: readonly string[], initial: Draft, firstPrompt: string): Conversation {
  // The operator token belongs to no person.
  const person = useMe().person?.id ?? "operator-token";
  const [draft, setDraft] = useState(initial);
  const [prompt, setPrompt] = useState<Prompt>({ ...EMPTY_PROMPT, text: firstPrompt });
  const [continued, continueWith] = useState(0);
  const { run, start, retry, stop, replace } = useRun((over) => addRun(person, toStored(over)));
  const next = nextTurns(draft.turns, run, continued, prompt);
  const go = (turns: readonly Turn[]): void => {
    const sent = { ...draft, turns };
    setDraft(sent);
    continueWith(0);
    start(keyId, models, sent);
  };
  return {
    draft,
    change: (part) => setDraft((before) => ({ ...before, ...part })),
    prompt,
    setPrompt,
    run,
    continued,
    continueWith,
    canSend: models.length > 0 && endsWithInput(next) && !isInvalid(draft),
    send: () => {
      setPrompt(EMPTY_PROMPT);
      go(next);
    },
    sendResults: (lane, results) => go([...draft.turns, ...toolTurns(run, lane, results)]),
    retry: (lane) => retry(lane, bodyOf(run!.lanes[lane]!.response.model, draft, lane)),
    stop,
    clear: () => {
      replace(null);
      setPrompt(EMPTY_PROMPT);
      setDraft((before) => ({ ...before, system: "", turns: [], variables: {} }));
    },
    reopen: (stored) => {
      const reopenedRun = reopened(stored);
      setDraft(reopenedRun.draft);
      setPrompt(EMPTY_PROMPT);
      continueWith(0);
      replace(reopenedRun);
    },
    person,
    bodyFor: (model, lane) => bodyOf(model, { ...draft, turns: next }, lane),
  };
}

/** A new message adds the last response to the conversation. Without a new message, the same messages are sent again. */
function nextTurns(turns: readonly Turn[], run: Run | null, continued: number, prompt: Prompt): readonly Turn[] {
  return isEmpty(prompt) ? turns : [...turns, ...responseTurn(run, continued), turn({ role: "user", ...prompt })];
}

function endsWithInput(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  return last !== undefined && last.role !== "assistant";
}

/** A response as a message, without its tool calls: providers reject a call without a result. */
function responseTurn(run: Run | null, lane: number): Turn[] {
  const text = run?.lanes[lane]?.response.text.text ?? "";
  return text === "" ? [] : [turn({ role: "assistant", text, toolCalls: [] })];
}

/** A response with tool calls, followed by their results. */
function toolTurns(run: Run | null, lane: number, results: readonly string[]): Turn[] {
  const response = run?.lanes[lane]?.response;
  if (!response) return [];
  // Some servers send calls without an ID, but a result must name its call.
  const toolCalls = response.progress().toolCalls.map((call, at) => ({ ...call, id: call.id || `call_${at + 1}` }));
  const given = toolCalls.map(({ id }, at) => turn({ role: "tool", callId: id, text: results[at] ?? "" }));
  return [turn({ role: "assistant", text: response.text.text, toolCalls }), ...given];
}
