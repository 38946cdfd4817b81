import type { Secret } from "../../lib/secret/secret.ts";

/** Which traces are told, where nobody before us has decided: all, none, or such a part of them. */
export interface SamplerSettings {
  /** From 0 to 1. */
  readonly ratio: number;
  /** Whether a caller's own decision comes first. */
  readonly heedsParent: boolean;
}

/** Where traces go, and what is in them. */
export interface TraceSettings {
  /** The whole address that spans are posted to. */
  readonly endpoint: string;
  /** What the collector asks for, such as a token. */
  readonly headers: Readonly<Record<string, Secret>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** For how long spans are gathered before they are sent. */
  readonly gatherMs: number;
  /** What every span is from: `service.name` and whatever else the operator says of this process. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: SamplerSettings;
  /** Whether what was said is told too. */
  readonly hasContent: boolean;
}

/** What has become of the spans since the start. */
export interface TraceExportState {
  readonly queued: number;
  readonly exported: number;
  /** For want of room in the queue. */
  readonly dropped: number;
  /** The collector did not take them. */
  readonly failed: number;
}
