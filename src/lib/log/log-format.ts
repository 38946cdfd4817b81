import type { LogLevel } from "./log-level.ts";
import { replaceUnprintable } from "../schema/plain-text.ts";

/** The fields of a log line. Values are plain on purpose: no objects, so that no secret is logged as part of an object. */
export interface LogFields {
  /** `info` by default. */
  readonly level?: LogLevel;
  readonly [name: string]: string | number | boolean | null | undefined;
}

export type LineFormat = (time: Date, fields: LogFields) => string;

/** Formats JSON lines. Two fields are prepended as text, which is cheaper than copying thirty fields into another object. */
export function formatAsJson(time: Date, fields: LogFields): string {
  const level = fields.level === undefined ? '"level":"info",' : "";
  return `{"time":"${time.toISOString()}",${level}${JSON.stringify(fields).slice(1)}`;
}

/**
 * Text for people: `12:03:11  200  POST /v1/chat/completions  14 ms  model=echo key=1t8M70XpfTe0 1+12 tokens`, with control characters
 * replaced. The level is shown if it is not `info`, and the request id for failures and for requests with a receipt.
 */
export function formatAsText(time: Date, { level = "info", ...fields }: LogFields): string {
  const head = [time.toTimeString().slice(0, 8), ...(level === "info" ? [] : [level])];
  const columns = fields["message"] === undefined ? requestColumns(fields) : eventColumns(fields);
  return replaceUnprintable([...head, ...columns].join("  ").trimEnd(), "?");
}

function eventColumns({ message, detail }: LogFields): string[] {
  return [String(message), formatPairs({ detail })];
}

function requestColumns(fields: Omit<LogFields, "level">): string[] {
  const { listener, method, path, status, duration_ms: durationMs, request_id: requestId, ...rest } = fields;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens, ...others } = rest;
  const showsRequestId = Number(status) >= 400 || fields["cost"] !== undefined;
  const named = { ...others, ...(showsRequestId && { request_id: requestId }), ...(listener !== "gateway" && { listener }) };
  const tokens = promptTokens === undefined ? "" : ` ${promptTokens}+${completionTokens} tokens`;
  return [String(status), `${method} ${path}`, `${durationMs} ms`, `${formatPairs(named)}${tokens}`.trimStart()];
}

/** `model=echo key=1t8M70XpfTe0`, for the fields that have a value. */
function formatPairs(fields: LogFields): string {
  const known = Object.entries(fields).filter(([, value]) => value != null);
  return known.map(([name, value]) => `${name}=${/\s/.test(String(value)) ? JSON.stringify(value) : value}`).join(" ");
}
