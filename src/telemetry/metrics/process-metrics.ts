import { ATTRIBUTION_KINDS } from "../../money/attribution.ts";
import { CONNECTION_CLOSURES, type ConnectionClosure } from "../../lib/http1/server/connection-closures.ts";
import { BODY_DROP_REASONS, DROP_REASONS, MIRROR_DROP_REASONS, type MirrorDropReason } from "../../requests/drop-reasons.ts";
import { UPLOAD_REJECTIONS, type UploadRejection } from "../../requests/upload-rejections.ts";
import type { Nanos } from "../../money/money.ts";
import type { UnlabelledMetric } from "./descriptions.ts";
import { BoundedNames } from "./bounded-names.ts";
import type { Family } from "./exposition.ts";
import {
  CONNECTION_STATES,
  INSTANCE_STATES,
  LISTENERS,
  MIRROR_OUTCOMES,
  type InstanceState,
  type ListenerName,
  type MirrorOutcome,
} from "./label-values.ts";
import { Series } from "./series.ts";

/** The current state of the parts of this process. */
export interface ProcessState {
  readonly version: string;
  readonly commit: string | null;
  readonly openRequests: Readonly<Record<ListenerName, number>>;
  readonly connections: Readonly<
    Record<
      ListenerName,
      {
        readonly authenticated: number;
        readonly unauthenticated: number;
        readonly closed: Readonly<Record<ConnectionClosure, number>>;
      }
    >
  >;
  readonly bodies: {
    readonly heldBytes: number;
    readonly maxBytes: number;
    readonly rejected: Readonly<Record<UploadRejection, number>>;
  };
  readonly mirrors: {
    readonly counts: Readonly<Record<MirrorOutcome, number>>;
    readonly drops: Readonly<Record<MirrorDropReason, number>>;
  };
  readonly ledger: {
    readonly openHolds: number;
    readonly heldNanos: Nanos;
    readonly unwrittenEntries: number;
    readonly failure: string | undefined;
  };
  readonly requestLog: {
    readonly queued: number;
    readonly written: number;
    readonly drops: Readonly<Record<(typeof DROP_REASONS)[number], number>>;
    readonly bodyDrops: Readonly<Record<(typeof BODY_DROP_REASONS)[number], number>>;
    readonly failure: string | undefined;
  };
  /** Undefined if this process has no usage rollups. */
  readonly attributionOverflows?: Readonly<Record<(typeof ATTRIBUTION_KINDS)[number], number>> | undefined;
  readonly log: { readonly dropped: number };
  /** Undefined if the value is unknown at the moment. */
  readonly webhooks:
    | { readonly pending: number; readonly delivered: number; readonly failedAttempts: number; readonly dropped: number }
    | undefined;
  /**
   * The number of processes, by their state. Undefined if this process does not serve the platform, or the number is unknown at the moment.
   */
  readonly instances: Readonly<Record<InstanceState, { readonly count: number; readonly leasedNanos: Nanos }>> | undefined;
  /** The counts of exported spans; undefined if tracing is off. */
  readonly traces: { readonly queued: number; readonly exported: number; readonly dropped: number; readonly failed: number } | undefined;
  /** The state of the config file; undefined if there is none. */
  readonly configFile: { readonly isRefused: boolean; readonly inForceSinceMs: number } | undefined;
}

export function processFamilies(state: ProcessState): readonly Family[] {
  const { webhooks, instances, traces, configFile, attributionOverflows } = state;
  return [
    ...connectionFamilies(state.connections),
    ...bodyFamilies(state.bodies),
    ...mirrorFamilies(state.mirrors),
    ...ledgerFamilies(state.ledger),
    ...requestLogFamilies(state.requestLog),
    ...(attributionOverflows ? [overflowFamily(attributionOverflows)] : []),
    single("tollgate_log_lines_dropped_total", state.log.dropped),
    ...(webhooks ? webhookFamilies(webhooks) : []),
    ...(instances ? instanceFamilies(instances) : []),
    ...(traces ? traceFamilies(traces) : []),
    ...(configFile ? configFamilies(configFile) : []),
    ...ownFamilies(state),
  ];
}

function connectionFamilies(connections: ProcessState["connections"]): readonly Family[] {
  const open = Series.of("tollgate_connections");
  const closed = Series.of("tollgate_connections_closed_total");
  for (const listener of LISTENERS) {
    for (const state of CONNECTION_STATES) open.cell({ listener, state }).value = connections[listener][state];
    for (const reason of CONNECTION_CLOSURES) closed.cell({ listener, reason }).value = connections[listener].closed[reason];
  }
  return [open, closed];
}

function bodyFamilies({ heldBytes, maxBytes, rejected }: ProcessState["bodies"]): readonly Family[] {
  const rejections = Series.of("tollgate_uploads_rejected_total");
  for (const reason of UPLOAD_REJECTIONS) rejections.cell({ reason }).value = rejected[reason];
  return [single("tollgate_request_bodies_bytes", heldBytes), single("tollgate_request_bodies_max_bytes", maxBytes), rejections];
}

function mirrorFamilies({ counts, drops }: ProcessState["mirrors"]): readonly Family[] {
  const mirrored = Series.of("tollgate_mirrored_requests_total");
  for (const result of MIRROR_OUTCOMES) mirrored.cell({ result }).value = counts[result];
  const dropped = Series.of("tollgate_mirrored_requests_dropped_total");
  for (const reason of MIRROR_DROP_REASONS) dropped.cell({ reason }).value = drops[reason];
  return [mirrored, dropped];
}

function ledgerFamilies({ openHolds, heldNanos, unwrittenEntries, failure }: ProcessState["ledger"]): readonly Family[] {
  const held = Series.ofDollars("tollgate_holds_open_dollars");
  held.cell({}).nanos = heldNanos;
  return [
    single("tollgate_holds_open", openHolds),
    held,
    single("tollgate_ledger_unwritten_entries", unwrittenEntries),
    single("tollgate_ledger_unwritable", Number(failure !== undefined)),
  ];
}

function requestLogFamilies({ queued, written, drops, bodyDrops, failure }: ProcessState["requestLog"]): readonly Family[] {
  const dropped = Series.of("tollgate_request_log_dropped_total");
  for (const reason of DROP_REASONS) dropped.cell({ reason }).value = drops[reason];
  const droppedBodies = Series.of("tollgate_request_log_bodies_dropped_total");
  for (const reason of BODY_DROP_REASONS) droppedBodies.cell({ reason }).value = bodyDrops[reason];
  return [
    single("tollgate_request_log_queued", queued),
    single("tollgate_request_log_written_total", written),
    dropped,
    droppedBodies,
    single("tollgate_request_log_unwritable", Number(failure !== undefined)),
  ];
}

function overflowFamily(overflows: NonNullable<ProcessState["attributionOverflows"]>): Family {
  const overflow = Series.of("tollgate_attribution_overflow_total");
  for (const dimension of ATTRIBUTION_KINDS) overflow.cell({ dimension }).value = overflows[dimension];
  return overflow;
}

function webhookFamilies({ pending, delivered, failedAttempts, dropped }: NonNullable<ProcessState["webhooks"]>): readonly Family[] {
  const tries = Series.of("tollgate_webhook_delivery_attempts_total");
  tries.cell({ result: "delivered" }).value = delivered;
  tries.cell({ result: "failed" }).value = failedAttempts;
  return [single("tollgate_webhook_deliveries_pending", pending), tries, single("tollgate_webhook_deliveries_dropped_total", dropped)];
}

function instanceFamilies(instances: NonNullable<ProcessState["instances"]>): readonly Family[] {
  const counts = Series.of("tollgate_instances");
  const leased = Series.ofDollars("tollgate_instances_leased_dollars");
  for (const state of INSTANCE_STATES) {
    counts.cell({ state }).value = instances[state].count;
    leased.cell({ state }).nanos = instances[state].leasedNanos;
  }
  return [counts, leased];
}

function traceFamilies({ queued, exported, dropped, failed }: NonNullable<ProcessState["traces"]>): readonly Family[] {
  const lost = Series.of("tollgate_spans_lost_total");
  lost.cell({ reason: "dropped" }).value = dropped;
  lost.cell({ reason: "failed" }).value = failed;
  return [single("tollgate_spans_queued", queued), single("tollgate_spans_exported_total", exported), lost];
}

function configFamilies({ isRefused, inForceSinceMs }: NonNullable<ProcessState["configFile"]>): readonly Family[] {
  return [
    single("tollgate_config_last_reload_successful", Number(!isRefused)),
    single("tollgate_config_last_reload_success_timestamp_seconds", inForceSinceMs / 1000),
  ];
}

/** Standard process metrics, with their common names. */
function ownFamilies({ version, commit, openRequests }: ProcessState): readonly Family[] {
  const open = Series.of("tollgate_requests_in_flight");
  for (const listener of LISTENERS) open.cell({ listener }).value = openRequests[listener];
  const build = Series.of("tollgate_build_info");
  build.cell({ version: new BoundedNames(1).of(version), commit: new BoundedNames(1).of(commit ?? "unknown") }).value = 1;
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    open,
    build,
    single("tollgate_heap_used_bytes", heapUsed),
    single("process_resident_memory_bytes", rss),
    single("process_cpu_seconds_total", (user + system) / 1e6),
    single("process_start_time_seconds", performance.timeOrigin / 1000),
  ];
}

function single(name: UnlabelledMetric, value: number): Family {
  const series = Series.of(name);
  series.cell({}).value = value;
  return series;
}
