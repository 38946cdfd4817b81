import { refuseViolation, type ErrorCode } from "../../requests/gateway-error.ts";
import { findViolation, inside, type Schema } from "../../lib/schema/schema.ts";

/** How a request can tell the echo to misbehave, in a field `echo` of its body: `"echo": {"delay_ms": 200, "cut_after": 3}`. */
export interface EchoOrders {
  /** Waited before each word, or before a JSON answer. */
  readonly delayMs: number;
  /** The error to answer with. */
  readonly fail: ErrorCode | undefined;
  /** The number of words after which the answer breaks off. */
  readonly cutAfter: number;
}

const FAILURES = ["upstream_error", "overloaded", "no_upstream_available", "upstream_timeout"] as const satisfies readonly ErrorCode[];

const ordersSchema: Schema = {
  type: "object",
  additionalProperties: false,
  properties: {
    delay_ms: { type: "integer", minimum: 0, maximum: 60_000 },
    fail: { type: "string", enum: FAILURES },
    cut_after: { type: "integer", minimum: 0 },
  },
};

export function readEchoOrders(body: Readonly<Record<string, unknown>>): EchoOrders {
  const orders = body["echo"] ?? {};
  const violation = findViolation(ordersSchema, orders);
  if (violation) refuseViolation(inside("echo", violation));
  const { delay_ms: delayMs, fail, cut_after: cutAfter } = orders as { delay_ms?: number; fail?: ErrorCode; cut_after?: number };
  return { delayMs: delayMs ?? 0, fail, cutAfter: cutAfter ?? Number.POSITIVE_INFINITY };
}
