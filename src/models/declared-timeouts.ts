import type { Infer } from "../lib/schema/infer.ts";
import type { Schema } from "../lib/schema/schema.ts";
import { NO_TIMEOUTS, type Timeouts } from "./upstream-settings.ts";

const timeout = { type: "integer", minimum: 1, maximum: 86_400_000 } as const satisfies Schema;

/** Timeouts in a config file or a request. */
export const declaredTimeoutsSchema = {
  title: "TimeoutsInput",
  type: "object",
  form: "{ total_ms: 60000 }",
  additionalProperties: false,
  properties: { connect_ms: timeout, first_byte_ms: timeout, between_chunks_ms: timeout, non_streamed_ms: timeout, total_ms: timeout },
} as const satisfies Schema;

type DeclaredTimeouts = Infer<typeof declaredTimeoutsSchema>;

/** The declared timeouts. */
export function toTimeouts(declared: DeclaredTimeouts | undefined): Partial<Timeouts> {
  if (declared === undefined) return NO_TIMEOUTS;
  return {
    ...(declared.connect_ms !== undefined && { connectMs: declared.connect_ms }),
    ...(declared.first_byte_ms !== undefined && { firstByteMs: declared.first_byte_ms }),
    ...(declared.between_chunks_ms !== undefined && { betweenChunksMs: declared.between_chunks_ms }),
    ...(declared.non_streamed_ms !== undefined && { nonStreamedMs: declared.non_streamed_ms }),
    ...(declared.total_ms !== undefined && { totalMs: declared.total_ms }),
  };
}

/** The inverse of `toTimeouts`: timeouts as the API returns them. */
export function fromTimeouts(timeouts: Timeouts): Required<DeclaredTimeouts>;
export function fromTimeouts(timeouts: Partial<Timeouts>): DeclaredTimeouts;
export function fromTimeouts(timeouts: Partial<Timeouts>): DeclaredTimeouts {
  const { connectMs, firstByteMs, betweenChunksMs, nonStreamedMs, totalMs } = timeouts;
  return {
    ...(connectMs !== undefined && { connect_ms: connectMs }),
    ...(firstByteMs !== undefined && { first_byte_ms: firstByteMs }),
    ...(betweenChunksMs !== undefined && { between_chunks_ms: betweenChunksMs }),
    ...(nonStreamedMs !== undefined && { non_streamed_ms: nonStreamedMs }),
    ...(totalMs !== undefined && { total_ms: totalMs }),
  };
}
