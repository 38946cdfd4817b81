import { useCallback, useEffect, useRef, useState } from "react";
import { ChatResponse } from "./response/chat-response.ts";
import { sendChat } from "./response/send-chat.ts";
import { bodyOf, type Draft } from "./draft.ts";

type Body = Readonly<Record<string, unknown>>;

/** One response of a run. */
export interface Lane {
  readonly response: ChatResponse;
  readonly body: Body;
  readonly cancel: () => void;
}

/** The responses of up to four models to the same messages. */
export interface Run {
  readonly id: string;
  readonly keyId: string;
  readonly draft: Draft;
  readonly lanes: readonly Lane[];
  readonly isOver: boolean;
}

interface RunControl {
  readonly run: Run | null;
  readonly start: (keyId: string, models: readonly string[], draft: Draft) => void;
  /** Sends the request of one lane again. The other responses stay. */
  readonly retry: (lane: number, body: Body) => void;
  readonly stop: () => void;
  /** Shows another run, or none. */
  readonly replace: (run: Run | null) => void;
}

const nextFrame = (draw: () => void): void => void requestAnimationFrame(draw);

const cancelAll = (run: Run | null): void => run?.lanes.forEach(({ cancel }) => cancel());

/** Sends to all models in parallel. Leaving the page cancels the requests in flight. */
export function useRun(onOver: (run: Run) => void): RunControl {
  const [run, setRun] = useState<Run | null>(null);
  const current = useRef<Run | null>(null);
  const over = useRef(onOver);
  useEffect(() => {
    over.current = onOver;
  });
  useEffect(() => () => cancelAll(current.current), []);
  const show = useCallback((next: Run | null) => {
    current.current = next;
    setRun(next);
  }, []);
  /** Called when a lane has ended. */
  const finish = useCallback(() => {
    const now = current.current;
    if (!now || now.isOver || !now.lanes.every(({ response }) => response.isOver)) return;
    show({ ...now, isOver: true });
    over.current({ ...now, isOver: true });
  }, [show]);
  const open = useCallback(
    (keyId: string, body: Body): Lane => {
      const cancellation = new AbortController();
      const response = new ChatResponse(String(body["model"]), performance.timeOrigin + performance.now(), nextFrame);
      void sendChat(keyId, body, response, cancellation.signal).then(finish);
      return { response, body, cancel: () => cancellation.abort() };
    },
    [finish],
  );
  const start = useCallback(
    (keyId: string, models: readonly string[], draft: Draft) => {
      cancelAll(current.current);
      const lanes = models.map((model, lane) => open(keyId, bodyOf(model, draft, lane)));
      show({ id: crypto.randomUUID(), keyId, draft, lanes, isOver: false });
    },
    [open, show],
  );
  const retry = useCallback(
    (lane: number, body: Body) => {
      const now = current.current;
      if (now) show({ ...now, lanes: now.lanes.map((each, at) => (at === lane ? open(now.keyId, body) : each)), isOver: false });
    },
    [open, show],
  );
  const stop = useCallback(() => cancelAll(current.current), []);
  const replace = useCallback(
    (next: Run | null) => {
      cancelAll(current.current);
      show(next);
    },
    [show],
  );
  return { run, start, retry, stop, replace };
}
