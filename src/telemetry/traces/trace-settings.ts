import type { Secret } from "../../lib/secret/secret.ts";

/** The sampler for traces without a sampled parent: all, none, or a ratio. */
export interface SamplerSettings {
  /** The ratio of sampled traces, from 0 to 1. */
  readonly ratio: number;
  /** Whether the client's sampling decision takes precedence. */
  readonly isParentBased: boolean;
}

/** The settings of the trace exporter. */
export interface TraceSettings {
  /** The full URL that spans are posted to. */
  readonly endpoint: string;
  /** Headers for the collector, such as a token. */
  readonly headers: Readonly<Record<string, Secret>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** The batch delay. */
  readonly gatherMs: number;
  /** The resource attributes: `service.name` and others set by the operator. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerSettings;
  /** Whether message content is exported. */
  readonly hasContent: boolean;
}

/** Counters of exported spans since startup. */
export interface TraceExportState {
  readonly queued: number;
  readonly exported: number;
  /** Dropped because the queue was full. */
  readonly dropped: number;
  /** Rejected by the collector. */
  readonly failed: number;
}
