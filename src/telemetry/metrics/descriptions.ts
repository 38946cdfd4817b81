import { ATTRIBUTION_KINDS, MODEL_ENDPOINTS } from "../../money/attribution.ts";
import { CONNECTION_CLOSURES } from "../../lib/http1/server/connection-closures.ts";
import { BODY_DROP_REASONS, DROP_REASONS, MIRROR_DROP_REASONS } from "../../requests/drop-reasons.ts";
import { OUTCOMES } from "../../requests/logged-request.ts";
import { UPLOAD_REJECTIONS } from "../../requests/upload-rejections.ts";
import { FALLBACK_CONDITIONS } from "../../models/fallbacks.ts";
import { COOLING_REASONS, ROUTE_STATES } from "../../models/upstream-health.ts";
import { writeLabels } from "./exposition.ts";
import {
  ATTEMPT_OUTCOMES,
  CACHE_RESULTS,
  CODES,
  CONNECTION_STATES,
  DEVIATION_KINDS,
  INSTANCE_STATES,
  LIMITS,
  LIMIT_SCOPES,
  LISTENERS,
  MIRROR_OUTCOMES,
  NAMES,
  PROVENANCES,
  SPAN_LOSSES,
  STATUSES,
  STATUS_CLASSES,
  TOKEN_KINDS,
  ATTEMPT_RESULTS,
  YES_OR_NO,
  type ValueOf,
  type Values,
} from "./label-values.ts";

/**
 * How the values of gateway processes and of their owner are merged; they are summed by default. `max`: the highest value. `process`: one
 * series for each process, with the label `process`. `owner`: only the owner's value.
 */
type Merge = "max" | "process" | "owner";

export interface Description {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: Readonly<Record<string, Values>>;
  /** The buckets of a histogram, in seconds. */
  readonly buckets?: readonly number[];
  readonly merge?: Merge;
}

/** All metrics at `/metrics`. No other metric, label or label value can be exported. */
export const METRICS = {
  tollgate_requests_total: {
    type: "counter",
    help: "Ended requests to models. The model is none when a request was rejected because of its key, its model or its credit. A request rejected by a rate limit has its model, unless it was rejected before the body.",
    labels: { model: NAMES, endpoint: MODEL_ENDPOINTS, status: STATUSES, outcome: OUTCOMES, stream: YES_OR_NO },
  },
  tollgate_errors_total: {
    type: "counter",
    help: "Requests that ended with an error, by error code.",
    labels: { listener: LISTENERS, code: CODES },
  },
  tollgate_http_requests_total: {
    type: "counter",
    help: "Ended requests of any kind.",
    labels: { listener: LISTENERS, status: STATUS_CLASSES },
  },
  tollgate_requests_in_flight: { type: "gauge", help: "Requests in flight.", labels: { listener: LISTENERS } },
  tollgate_connections: {
    type: "gauge",
    help: "Open connections, by whether a request on them had a valid credential. Connections of trusted proxies count as authenticated.",
    labels: { listener: LISTENERS, state: CONNECTION_STATES },
  },
  tollgate_connections_closed_total: {
    type: "counter",
    help: "Connections closed or rejected to bound the resources of clients: the listener was full, an address had too many connections without a valid key, a connection had none for too long, or it continued to send a rejected body.",
    labels: { listener: LISTENERS, reason: CONNECTION_CLOSURES },
  },
  tollgate_request_bodies_bytes: {
    type: "gauge",
    help: "Memory used by request bodies: the bytes received, until no step uses them any more.",
    labels: {},
  },
  tollgate_request_bodies_max_bytes: { type: "gauge", help: "The memory limit of request bodies: TOLLGATE_BODIES_MAX_BYTES.", labels: {} },
  tollgate_uploads_rejected_total: {
    type: "counter",
    help: "Request bodies that were not received completely: no credit, a rate limit, another body in progress without credit, the account's share of the memory budget, all of that budget, or the upload deadline.",
    labels: { reason: UPLOAD_REJECTIONS },
  },
  tollgate_request_bytes_total: { type: "counter", help: "Bytes received in the bodies of requests to models.", labels: {} },
  tollgate_reply_bytes_total: { type: "counter", help: "Bytes sent in the responses to requests to models.", labels: {} },
  tollgate_request_duration_seconds: {
    type: "histogram",
    help: "Duration of a request to a model, from the first header to the last byte of the response.",
    labels: { model: NAMES },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600],
  },
  tollgate_time_to_first_token_seconds: {
    type: "histogram",
    help: "Time to first token of a stream.",
    labels: { model: NAMES },
    buckets: [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60],
  },
  tollgate_time_per_output_token_seconds: {
    type: "histogram",
    help: "Time per output token of a complete stream, after the first token.",
    labels: { model: NAMES },
    buckets: [0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5],
  },
  tollgate_gateway_overhead_seconds: {
    type: "histogram",
    help: "The gateway's own overhead, without the upload of the request and the time at upstreams.",
    labels: {},
    buckets: [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },

  tollgate_tokens_total: {
    type: "counter",
    help: "Accounted tokens. Each has one kind only: input was neither read from a cache nor written to one.",
    labels: { model: NAMES, kind: TOKEN_KINDS, provenance: PROVENANCES },
  },
  tollgate_charged_dollars_total: { type: "counter", help: "Dollars charged to accounts.", labels: { model: NAMES } },
  tollgate_uncharged_dollars_total: {
    type: "counter",
    help: "Cost of responses in dollars that was not charged to accounts.",
    labels: { model: NAMES },
  },
  tollgate_holds_open: { type: "gauge", help: "Requests with an open hold, which reserves credit.", labels: {} },
  tollgate_holds_open_dollars: { type: "gauge", help: "Dollars reserved by open holds.", labels: {} },
  tollgate_limit_hits_total: {
    type: "counter",
    help: "Requests rejected by a rate limit or concurrency limit.",
    labels: { scope: LIMIT_SCOPES, limit: LIMITS },
  },
  tollgate_cache_lookups_total: {
    type: "counter",
    help: "Requests for models with a response cache, by cache hit or miss.",
    labels: { model: NAMES, result: CACHE_RESULTS },
  },

  tollgate_fallbacks_total: {
    type: "counter",
    help: "Requests that a fallback answered, by the requested model and the reason. Their tokens and charges count for the model that answered.",
    labels: { model: NAMES, reason: FALLBACK_CONDITIONS },
  },
  tollgate_attempts_total: {
    type: "counter",
    help: "Attempts at upstreams, by outcome. A stream that is cut off after its start counts as answered; its request has failed.",
    labels: { upstream: NAMES, outcome: ATTEMPT_OUTCOMES },
  },
  tollgate_upstream_calls_in_flight: { type: "gauge", help: "Calls in flight at an upstream.", labels: { upstream: NAMES } },
  tollgate_upstream_calls_queued: { type: "gauge", help: "Calls waiting for a free slot at an upstream.", labels: { upstream: NAMES } },
  tollgate_upstream_credentials_cooling: {
    type: "gauge",
    help: "Credentials in cooldown: they reached the rate limit of some model (busy), or were rejected (credential).",
    labels: { upstream: NAMES, reason: COOLING_REASONS },
  },
  tollgate_upstream_identity_expiry_seconds: {
    type: "gauge",
    help: "Seconds until the credentials of an upstream's identity at a cloud expire. They are refreshed before; below zero they were not.",
    labels: { upstream: NAMES },
    merge: "process",
  },
  tollgate_upstream_identity_refresh_failures_total: {
    type: "counter",
    help: "Failed attempts to obtain or refresh the credentials of an upstream's identity at a cloud.",
    labels: { upstream: NAMES },
  },
  tollgate_upstream_model_state: {
    type: "gauge",
    help: "Circuit breaker: 1 for the current state of a model at an upstream: healthy, ejected, or probing.",
    labels: { upstream: NAMES, upstream_model: NAMES, state: ROUTE_STATES },
    merge: "max",
  },
  tollgate_upstream_model_calls_in_flight: {
    type: "gauge",
    help: "Calls in flight for a model at an upstream.",
    labels: { upstream: NAMES, upstream_model: NAMES },
  },
  tollgate_deviations_total: {
    type: "counter",
    help: "Responses with a format deviation, by kind.",
    labels: { upstream: NAMES, deviation: DEVIATION_KINDS },
  },

  tollgate_ledger_unwritten_entries: { type: "gauge", help: "Ledger entries that are not in the database yet.", labels: {} },
  tollgate_ledger_unwritable: {
    type: "gauge",
    help: "1 while the ledger cannot be written and requests are rejected.",
    labels: {},
    merge: "max",
  },
  tollgate_mirrored_requests_total: {
    type: "counter",
    help: "Requests that were sent to the mirror of their model, by whether it answered.",
    labels: { result: MIRROR_OUTCOMES },
  },
  tollgate_mirrored_requests_dropped_total: {
    type: "counter",
    help: "Sampled requests that were not sent to the mirror of their model, or whose mirror was cancelled at the stop of the process.",
    labels: { reason: MIRROR_DROP_REASONS },
  },
  tollgate_request_log_queued: { type: "gauge", help: "Requests that are not in the request log yet.", labels: {} },
  tollgate_request_log_written_total: { type: "counter", help: "Requests written to the request log.", labels: {} },
  tollgate_request_log_dropped_total: {
    type: "counter",
    help: "Requests missing from the request log. Requests without a valid key are rate limited there on purpose.",
    labels: { reason: DROP_REASONS },
  },
  tollgate_request_log_bodies_dropped_total: {
    type: "counter",
    help: "Requests in the request log without their prompt and response, although the account has prompt and response logging.",
    labels: { reason: BODY_DROP_REASONS },
  },
  tollgate_request_log_unwritable: { type: "gauge", help: "1 while the request log cannot be written.", labels: {}, merge: "max" },
  tollgate_attribution_overflow_total: {
    type: "counter",
    help: "Requests that usage reports count as `other`, because the account has had as many names that day as TOLLGATE_ATTRIBUTION_NAMES.",
    labels: { dimension: ATTRIBUTION_KINDS },
  },
  tollgate_log_lines_dropped_total: { type: "counter", help: "Log lines dropped because the reader of the log was too slow.", labels: {} },
  tollgate_webhook_deliveries_pending: { type: "gauge", help: "Webhook deliveries that are pending.", labels: {} },
  tollgate_webhook_delivery_attempts_total: {
    type: "counter",
    help: "Attempts to deliver an alert to a webhook.",
    labels: { result: ATTEMPT_RESULTS },
  },
  tollgate_webhook_deliveries_dropped_total: {
    type: "counter",
    help: "Webhook deliveries dropped because too many were pending.",
    labels: {},
  },
  tollgate_instances: {
    type: "gauge",
    help: "Processes of this Tollgate on all machines, by state, as in `tollgate instances`. Only of processes that serve the platform.",
    labels: { state: INSTANCE_STATES },
    merge: "owner",
  },
  tollgate_instances_leased_dollars: {
    type: "gauge",
    help: "Credit of accounts that processes have leased, by the state of the process. Nobody can spend what disconnected ones have leased.",
    labels: { state: INSTANCE_STATES },
    merge: "owner",
  },
  tollgate_spans_queued: { type: "gauge", help: "Spans waiting for export to the trace collector.", labels: {} },
  tollgate_spans_exported_total: { type: "counter", help: "Spans accepted by the trace collector.", labels: {} },
  tollgate_spans_lost_total: { type: "counter", help: "Spans lost before or at the trace collector.", labels: { reason: SPAN_LOSSES } },
  tollgate_config_last_reload_successful: {
    type: "gauge",
    help: "1 when the last reload of the config file succeeded.",
    labels: {},
    merge: "owner",
  },
  tollgate_config_last_reload_success_timestamp_seconds: {
    type: "gauge",
    help: "Time of the last successful reload of the config file, in seconds since 1970.",
    labels: {},
    merge: "owner",
  },
  tollgate_event_loop_lag_seconds: {
    type: "histogram",
    help: "Event loop lag, sampled ten times a second: requests wait that long now and then.",
    labels: {},
    merge: "process",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  tollgate_heap_used_bytes: { type: "gauge", help: "Heap memory used by JavaScript objects.", labels: {}, merge: "process" },
  tollgate_build_info: { type: "gauge", help: "Always 1, for its labels.", labels: { version: NAMES, commit: NAMES }, merge: "owner" },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory of the process.", labels: {}, merge: "process" },
  process_cpu_seconds_total: { type: "counter", help: "CPU time used by the process.", labels: {}, merge: "process" },
  process_start_time_seconds: { type: "gauge", help: "Start time of the process, in seconds since 1970.", labels: {}, merge: "process" },
} as const satisfies Record<string, Description>;

export type MetricName = keyof typeof METRICS;

/** The description of a metric by its name. Undefined for a metric of another version. */
export function descriptionOf(name: string): Description | undefined {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : undefined;
}

/** The names of the metrics of one type. */
export type NameOf<Type extends Description["type"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends Type ? Name : never;
}[MetricName];

/** The names of counters and gauges without labels. */
export type UnlabelledMetric = {
  [Name in NameOf<"counter" | "gauge">]: keyof (typeof METRICS)[Name]["labels"] extends never ? Name : never;
}[NameOf<"counter" | "gauge">];

/** The labels of a metric, with their allowed values. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof METRICS)[Name]["labels"]]: (typeof METRICS)[Name]["labels"][Label] extends Values
    ? ValueOf<(typeof METRICS)[Name]["labels"][Label]>
    : never;
};

/** Writes labels in the order of the description, so that equal labels result in equal text. */
export function writeLabelsOf<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): string {
  const values: Readonly<Record<string, string>> = labels;
  return writeLabels(Object.fromEntries(Object.keys(METRICS[name].labels).map((label) => [label, values[label]!])));
}
