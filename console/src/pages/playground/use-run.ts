import { useCallback, useEffect, useRef, useState } from "react";
import { ChatResponse } from "./chat-response.ts";
import { sendChat } from "./send-chat.ts";
import { bodyOf, type Draft } from "./draft.ts";

/** One response, or two to the same messages. */
export interface Run {
  readonly keyId: string;
  readonly lanes: readonly { readonly response: ChatResponse; readonly body: Readonly<Record<string, unknown>> }[];
  readonly isOver: boolean;
}

interface RunControl {
  readonly run: Run | null;
  readonly start: (keyId: string, models: readonly string[], draft: Draft) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

const nextFrame = (draw: () => void): void => void requestAnimationFrame(draw);

/** Sends to all models in parallel. Leaving the page cancels the requests in flight. */
export function useRun(): RunControl {
  const [run, setRun] = useState<Run | null>(null);
  const cancellation = useRef(new AbortController());
  useEffect(() => () => cancellation.current.abort(), []);
  const stop = useCallback(() => cancellation.current.abort(), []);
  const start = useCallback((keyId: string, models: readonly string[], draft: Draft) => {
    cancellation.current.abort();
    cancellation.current = new AbortController();
    const { signal } = cancellation.current;
    const startedAtMs = performance.timeOrigin + performance.now();
    const lanes = models.map((model) => ({ response: new ChatResponse(model, startedAtMs, nextFrame), body: bodyOf(model, draft) }));
    setRun({ keyId, lanes, isOver: false });
    void Promise.all(lanes.map(({ response, body }) => sendChat(keyId, body, response, signal))).then(() =>
      setRun((now) => (now?.lanes === lanes ? { ...now, isOver: true } : now)),
    );
  }, []);
  const clear = useCallback(() => {
    cancellation.current.abort();
    setRun(null);
  }, []);
  return { run, start, stop, clear };
}
