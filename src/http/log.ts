import { hideSecrets } from "./hide-secrets.ts";

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
    if (lines.length > 0) put(hideSecrets(lines.map(({ atMs, facts }) => `${format(new Date(atMs), facts)}\n`).join("")));
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

/**
 * `12:03:11  200  POST /v1/chat/completions  14 ms  model=echo key=1t8M70XpfTe0 1+12 tokens`, with control characters made
 * harmless. The request id is given where somebody may have to ask about it: on a failure, and where there is a receipt.
 */
export function formatForTerminal(time: Date, facts: Facts): string {
  if (facts["message"] !== undefined) return harmless(`${time.toTimeString().slice(0, 8)}  ${facts["message"]}`);
  const { listener, method, path, status, duration_ms: durationMs, request_id: requestId, ...rest } = facts;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, ...others } = rest;
  const isAskedFor = Number(status) >= 400 || facts["cost"] !== undefined;
  const named = { ...others, ...(isAskedFor && { request_id: requestId }), ...(listener !== "gateway" && { listener }) };
  const words = Object.entries(named).filter(([, value]) => value != null);
  const tail = words.map(([name, value]) => `${name}=${/\s/.test(String(value)) ? JSON.stringify(value) : value}`);
  if (promptTokens !== undefined) tail.push(`${promptTokens}+${completionTokens} tokens`);
  const line = [time.toTimeString().slice(0, 8), status, `${method} ${path}`, `${durationMs} ms`, tail.join(" ")].join("  ");
  return harmless(line.trimEnd());
}

function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "?");
}
