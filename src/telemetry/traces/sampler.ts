import type { SamplerSettings } from "./trace-settings.ts";
import type { TraceParent } from "./traceparent.ts";

/** The last 56 bits of a trace id are random by level 2 of Trace Context; a decision based on them is the same for all spans of a trace. */
const RANDOM_DIGITS = 14;
const SPAN_OF_RANDOM = 2 ** 56;

/** Whether a trace is sampled. */
export function isSampled({ ratio, isParentBased }: SamplerSettings, traceId: string, parent: TraceParent | undefined): boolean {
  if (isParentBased && parent) return parent.isSampled;
  if (ratio === 0 || ratio === 1) return ratio === 1;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * SPAN_OF_RANDOM;
}
