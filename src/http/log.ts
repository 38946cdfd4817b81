/** What one log line says. Values are plain on purpose: no objects, so nothing can bring its secrets along. */
export type Facts = Record<string, string | number | boolean | null | undefined>;

export interface Log {
  write(facts: Facts): void;
  /** Puts out what is still held back. */
  flush(): void;
}

const FLUSH_AFTER_MS = 50;

/**
 * A log of one line each: JSON for machines, or short text where a person is looking. Lines are gathered for a moment, then
 * formatted and written together: done apart for each request, both would be among the dearest parts of it.
 */
export function createLog(put: (text: string) => void, format: (time: Date, facts: Facts) => string): Log {
  let held: { atMs: number; facts: Facts }[] = [];
  let timer: Timer | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const lines = held;
    held = [];
    if (lines.length > 0) put(lines.map(({ atMs, facts }) => `${format(new Date(atMs), facts)}\n`).join(""));
  };
  return {
    write(facts) {
      held.push({ atMs: Date.now(), facts });
      timer ??= setTimeout(flush, FLUSH_AFTER_MS);
    },
    flush,
  };
}

export function formatAsJson(time: Date, facts: Facts): string {
  return JSON.stringify({ time: time.toISOString(), ...facts });
}

/** `12:03:11 POST /v1/chat/completions 200 14ms model=echo`, with control characters made harmless. */
export function formatForTerminal(time: Date, facts: Facts): string {
  const { method, path, status, duration_ms: durationMs, ...rest } = facts;
  const head = [time.toISOString().slice(11, 19), method, path, status, durationMs === undefined ? undefined : `${durationMs}ms`];
  const tail = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null);
  const words = [...head, ...tail.map(([name, value]) => `${name}=${value}`)].filter((word) => word !== undefined);
  return words.join(" ").replaceAll(/\p{Cc}/gu, "?");
}
