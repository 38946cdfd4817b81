import { refuseViolation, type ErrorCode } from "../../requests/api-error.ts";
import { findViolation, inside, type Schema } from "../../lib/schema/schema.ts";

/** Faults that a request can inject with the field `echo` of its body: `"echo": {"delay_ms": 200, "cut_after": 3}`. */
export interface EchoOptions {
  /** The delay before each word of a stream, or before a JSON response. */
  readonly delayMs: number;
  /** The error to return. */
  readonly fail: ErrorCode | undefined;
  /** The number of words after which the response breaks off. */
  readonly cutAfter: number;
}

const FAILURES = ["upstream_error", "overloaded", "no_upstream_available", "upstream_timeout"] as const satisfies readonly ErrorCode[];

const optionsSchema: Schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    delay_ms: { type: "integer", minimum: 0, maximum: 60_000 },
    fail: { type: "string", enum: FAILURES },
    cut_after: { type: "integer", minimum: 0 },
  },
};

export function readEchoOptions(body: Readonly<Record<string, unknown>>): EchoOptions {
  const options = body["echo"] ?? {};
  const violation = findViolation(optionsSchema, options);
  if (violation) refuseViolation(inside("echo", violation));
  const { delay_ms: delayMs, fail, cut_after: cutAfter } = options as { delay_ms?: number; fail?: ErrorCode; cut_after?: number };
  return { delayMs: delayMs ?? 0, fail, cutAfter: cutAfter ?? Number.POSITIVE_INFINITY };
}
