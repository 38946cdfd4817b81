import type { DeviationCount } from "../../../models/deviation.ts";
import type { UpstreamHealth } from "../../../models/upstream-health.ts";

/** The name of both sides of the service. */
export const REPORTS = "upstream-reports";

/** Process to owner: the state of its upstreams, in place of its last report. */
export interface UpstreamReport {
  /** The upstreams that it has called. */
  readonly upstreams: readonly (readonly [digest: string, health: UpstreamHealth])[];
  /** All format deviations since its start. Null where none was counted since the last report. */
  readonly deviations: readonly DeviationCount[] | null;
}
