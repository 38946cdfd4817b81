/** What the mock did. Counting is all that it does beside answering, and plain numbers cost nothing. */
export const counters = {
  /** There now. */
  connections: 0,
  /** Streams under way now. */
  open: 0,
  answers: 0,
  refusals: 0,
  hung: 0,
  opened: 0,
  finished: 0,
  /** Streams whose reader left before their end. */
  aborted: 0,
  /** Events with text. */
  chunks: 0,
  /** Those that were sent when the next one was due already: the mock was kept from its work, and what it sent may have run together. */
  lateChunks: 0,
  /** Of whole answers and finished streams, as they say themselves. */
  promptTokens: 0,
  completionTokens: 0,
};

export type Counters = typeof counters;

/** When marked streams were seen to be left. */
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
