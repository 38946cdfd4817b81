import type { SamplerSettings } from "./trace-settings.ts";
import type { TraceParent } from "./traceparent.ts";

/** Of a trace id, the last 56 bits are random by level 2 of Trace Context; whoever decides by them decides alike for a whole trace. */
const RANDOM_DIGITS = 14;
const SPAN_OF_RANDOM = 2 ** 56;

/** Whether the spans of a trace are told. */
export function isSampled({ ratio, heedsParent }: SamplerSettings, traceId: string, parent: TraceParent | undefined): boolean {
  if (heedsParent && parent) return parent.isSampled;
  if (ratio === 0 || ratio === 1) return ratio === 1;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * SPAN_OF_RANDOM;
}
