import type { LogLevel } from "./log-level.ts";
import { replaceUnprintable } from "../schema/plain-text.ts";

/** What one log line says. Values are plain on purpose: no objects, so nothing can bring its secrets along. */
export interface Facts {
  /** `info`, where it is left out. */
  readonly level?: LogLevel;
  readonly [name: string]: string | number | boolean | null | undefined;
}

export type LineFormat = (time: Date, facts: Facts) => string;

/** For machines. Put together as text: to copy thirty facts behind two others costs more than to write them. */
export function formatAsJson(time: Date, facts: Facts): string {
  const level = facts.level === undefined ? '"level":"info",' : "";
  return `{"time":"${time.toISOString()}",${level}${JSON.stringify(facts).slice(1)}`;
}

/**
 * For people: `12:03:11  200  POST /v1/chat/completions  14 ms  model=echo key=1t8M70XpfTe0 1+12 tokens`, with control characters
 * made harmless. The level is said where it is not the usual one, and the request id where somebody may have to ask about it: on a
 * failure, and where there is a receipt.
 */
export function formatAsText(time: Date, { level = "info", ...facts }: Facts): string {
  const head = [time.toTimeString().slice(0, 8), ...(level === "info" ? [] : [level])];
  const words = facts["message"] === undefined ? wordsOfRequest(facts) : wordsOfEvent(facts);
  return replaceUnprintable([...head, ...words].join("  ").trimEnd(), "?");
}

function wordsOfEvent({ message, detail }: Facts): string[] {
  return [String(message), inWords({ detail })];
}

function wordsOfRequest(facts: Omit<Facts, "level">): string[] {
  const { listener, method, path, status, duration_ms: durationMs, request_id: requestId, ...rest } = facts;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, ...others } = rest;
  const isAskedFor = Number(status) >= 400 || facts["cost"] !== undefined;
  const named = { ...others, ...(isAskedFor && { request_id: requestId }), ...(listener !== "gateway" && { listener }) };
  const tokens = promptTokens === undefined ? "" : ` ${promptTokens}+${completionTokens} tokens`;
  return [String(status), `${method} ${path}`, `${durationMs} ms`, `${inWords(named)}${tokens}`.trimStart()];
}

/** `model=echo key=1t8M70XpfTe0`, of what is known. */
function inWords(facts: Facts): string {
  const known = Object.entries(facts).filter(([, value]) => value != null);
  return known.map(([name, value]) => `${name}=${/\s/.test(String(value)) ? JSON.stringify(value) : value}`).join(" ");
}
