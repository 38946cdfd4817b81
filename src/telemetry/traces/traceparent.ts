/** Parses and formats the headers of W3C Trace Context (https://www.w3.org/TR/trace-context/). */

/** The client's trace context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Whether the client declares the id random (level 2). */
  readonly isRandom: boolean;
}

const SAMPLED = 1;
const RANDOM = 2;

/** A later version may have more fields after a dash. Version 00 has none. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Undefined if the header is missing or invalid: a new trace then starts here. Repeated headers are joined with a comma, which is invalid.
 */
export function parseTraceparent(text: string | null): TraceParent | undefined {
  const [, version, traceId, spanId, flags, more] = (text !== null && TRACEPARENT.exec(text)) || [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === "00" && more !== undefined) return undefined;
  const bits = Number.parseInt(flags!, 16);
  return { traceId, spanId, isSampled: (bits & SAMPLED) !== 0, isRandom: version === "00" && (bits & RANDOM) !== 0 };
}

export function formatTraceparent({ traceId, spanId, isSampled, isRandom }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${(isSampled ? SAMPLED : 0) | (isRandom ? RANDOM : 0)}`;
}

const MAX_MEMBERS = 32;
/** The length that every participant has to propagate. */
const MAX_STATE_CHARS = 512;
/** If the whole header is too long, members longer than this are dropped first (§3.3.1.5). */
const LONG_MEMBER_CHARS = 128;

const KEY = /^([a-z0-9][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/;
const VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The `tracestate` to propagate; undefined if it is empty or invalid. An invalid `tracestate` is dropped completely. */
export function parseTracestate(text: string | null): string | undefined {
  if (text === null) return undefined;
  const members = text
    .split(",")
    .map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ""))
    .filter((member) => member !== "");
  const keys = members.map(keyOf);
  if (keys.length === 0 || keys.length > MAX_MEMBERS || keys.includes(undefined) || new Set(keys).size < keys.length) return undefined;
  return shortened(members) || undefined;
}

function keyOf(member: string): string | undefined {
  const [, key = "", value = ""] = /^([^=]*)=(.*)$/s.exec(member) ?? [];
  return KEY.test(key) && VALUE.test(value) ? key : undefined;
}

function shortened(members: readonly string[]): string {
  const kept = isShort(members) ? [...members] : members.filter((member) => member.length <= LONG_MEMBER_CHARS);
  while (!isShort(kept)) kept.pop();
  return kept.join(",");
}

function isShort(members: readonly string[]): boolean {
  return members.join(",").length <= MAX_STATE_CHARS;
}
