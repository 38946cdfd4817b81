/** The counters of the mock. */
export const counters = {
  /** Open connections. */
  connections: 0,
  /** Streams in flight. */
  open: 0,
  answers: 0,
  refusals: 0,
  hung: 0,
  opened: 0,
  finished: 0,
  /** Streams whose client disconnected before their end. */
  aborted: 0,
  /** Events with text. */
  chunks: 0,
  /** Chunks that were sent when the next one was already due: the mock was delayed, and chunks may have been merged. */
  lateChunks: 0,
  /** The sums of the usage in complete responses and streams. */
  promptTokens: 0,
  completionTokens: 0,
};

export type Counters = typeof counters;

/** The times of the disconnects of marked streams. */
export const aborts: [mark: number, unixMs: number][] = [];

export function countTokens(usage: { prompt_tokens: number; completion_tokens: number }): void {
  counters.promptTokens += usage.prompt_tokens;
  counters.completionTokens += usage.completion_tokens;
}

export function reset(): void {
  const { connections, open } = counters;
  for (const name of Object.keys(counters) as (keyof Counters)[]) counters[name] = 0;
  Object.assign(counters, { connections, open });
  aborts.length = 0;
}
