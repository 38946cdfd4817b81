import { useCallback, useEffect, useRef, useState } from "react";
import { Answer } from "./chat-response.ts";
import { ask } from "./send-chat.ts";
import { bodyOf, type Draft } from "./draft.ts";

/** One answer, or two to the same question. */
export interface Run {
  readonly keyId: string;
  readonly lanes: readonly { readonly answer: Answer; readonly body: Readonly<Record<string, unknown>> }[];
  readonly isOver: boolean;
}

interface RunControl {
  readonly run: Run | null;
  readonly start: (keyId: string, models: readonly string[], draft: Draft) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

const nextFrame = (draw: () => void): void => void requestAnimationFrame(draw);

/** Asks all models at once. Whoever leaves the page stops what is under way: nobody would read it. */
export function useRun(): RunControl {
  const [run, setRun] = useState<Run | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const stop = useCallback(() => leaving.current.abort(), []);
  const start = useCallback((keyId: string, models: readonly string[], draft: Draft) => {
    leaving.current.abort();
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    const startedAtMs = performance.timeOrigin + performance.now();
    const lanes = models.map((model) => ({ answer: new Answer(model, startedAtMs, nextFrame), body: bodyOf(model, draft) }));
    setRun({ keyId, lanes, isOver: false });
    void Promise.all(lanes.map(({ answer, body }) => ask(keyId, body, answer, signal))).then(() =>
      setRun((now) => (now?.lanes === lanes ? { ...now, isOver: true } : now)),
    );
  }, []);
  const clear = useCallback(() => {
    leaving.current.abort();
    setRun(null);
  }, []);
  return { run, start, stop, clear };
}
