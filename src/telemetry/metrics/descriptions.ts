import { CONNECTION_CLOSURES } from "../../lib/http1/server/connection-closures.ts";
import { BODY_DROP_REASONS, DROP_REASONS } from "../../requests/drop-reasons.ts";
import { OUTCOMES } from "../../requests/logged-request.ts";
import { UPLOAD_REJECTIONS } from "../../requests/upload-rejections.ts";
import { COOLING_REASONS, ROUTE_STATES } from "../../models/upstream-health.ts";
import { writeLabels } from "./exposition.ts";
import {
  ATTEMPT_OUTCOMES,
  CACHE_RESULTS,
  CODES,
  CONNECTION_STATES,
  DEVIATION_KINDS,
  LIMITS,
  LIMIT_SCOPES,
  LISTENERS,
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

interface Description {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: Readonly<Record<string, Values>>;
  /** Of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

/** Everything that is told at `/metrics`. What is not here cannot be told, nor with other labels, nor with values from elsewhere. */
export const METRICS = {
  tollgate_requests_total: {
    type: "counter",
    help: "Chat completions that have ended. The model is none where one was refused for its key, its model or want of credit. A refusal by a limit has its model, unless it came before the body.",
    labels: { model: NAMES, status: STATUSES, outcome: OUTCOMES, stream: YES_OR_NO },
  },
  tollgate_errors_total: {
    type: "counter",
    help: "Requests that ended with an error, by its code.",
    labels: { listener: LISTENERS, code: CODES },
  },
  tollgate_http_requests_total: {
    type: "counter",
    help: "Requests of any kind that have ended.",
    labels: { listener: LISTENERS, status: STATUS_CLASSES },
  },
  tollgate_open_requests: { type: "gauge", help: "Requests under way.", labels: { listener: LISTENERS } },
  tollgate_connections: {
    type: "gauge",
    help: "Open connections, by whether a request on them had a valid credential. Those of trusted proxies count as authenticated.",
    labels: { listener: LISTENERS, state: CONNECTION_STATES },
  },
  tollgate_connections_closed_total: {
    type: "counter",
    help: "Connections closed or rejected to bound what callers can hold: the listener was full, an address had too many without a valid key, one had none for too long, or it went on sending a rejected body.",
    labels: { listener: LISTENERS, reason: CONNECTION_CLOSURES },
  },
  tollgate_request_bodies_bytes: {
    type: "gauge",
    help: "Memory that request bodies take: the bytes received, until no step uses them any more.",
    labels: {},
  },
  tollgate_request_bodies_max_bytes: { type: "gauge", help: "The most that it may be: TOLLGATE_BODIES_MAX_BYTES.", labels: {} },
  tollgate_uploads_rejected_total: {
    type: "counter",
    help: "Request bodies that were not received to their end: no credit, a rate limit, another body in progress without credit, the account's share of the memory budget, all of that budget, or the upload deadline.",
    labels: { reason: UPLOAD_REJECTIONS },
  },
  tollgate_request_bytes_total: { type: "counter", help: "Bytes of the bodies of chat completions that came.", labels: {} },
  tollgate_reply_bytes_total: { type: "counter", help: "Bytes of the answers to chat completions.", labels: {} },
  tollgate_request_duration_seconds: {
    type: "histogram",
    help: "From the first header of a chat completion to the last byte of its answer.",
    labels: { model: NAMES },
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600],
  },
  tollgate_time_to_first_token_seconds: {
    type: "histogram",
    help: "Of a stream, from the request to the first piece of the answer.",
    labels: { model: NAMES },
    buckets: [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30, 60],
  },
  tollgate_time_per_output_token_seconds: {
    type: "histogram",
    help: "Of a stream that came whole, for each token after the first.",
    labels: { model: NAMES },
    buckets: [0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.2, 0.5],
  },
  tollgate_gateway_overhead_seconds: {
    type: "histogram",
    help: "What the gateway itself took for an answer, without the upload of the request and the waiting for upstreams.",
    labels: {},
    buckets: [0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },

  tollgate_tokens_total: {
    type: "counter",
    help: "Tokens that were accounted for. Each is of one kind only: input is what was neither read from a cache nor written to one.",
    labels: { model: NAMES, kind: TOKEN_KINDS, provenance: PROVENANCES },
  },
  tollgate_charged_dollars_total: { type: "counter", help: "What accounts were charged.", labels: { model: NAMES } },
  tollgate_uncharged_dollars_total: {
    type: "counter",
    help: "What answers cost beyond what accounts were charged for them.",
    labels: { model: NAMES },
  },
  tollgate_holds_open: { type: "gauge", help: "Requests for which credit is set aside.", labels: {} },
  tollgate_holds_open_dollars: { type: "gauge", help: "Credit that is set aside for them.", labels: {} },
  tollgate_limit_hits_total: {
    type: "counter",
    help: "Requests that were refused because a limit had no room for them.",
    labels: { scope: LIMIT_SCOPES, limit: LIMITS },
  },
  tollgate_cache_lookups_total: {
    type: "counter",
    help: "Requests for models that keep their answers, and whether there was one.",
    labels: { model: NAMES, result: CACHE_RESULTS },
  },

  tollgate_attempts_total: {
    type: "counter",
    help: "Attempts at upstreams, and what came of them. A stream that breaks off when it has begun was answered; its request has failed.",
    labels: { upstream: NAMES, outcome: ATTEMPT_OUTCOMES },
  },
  tollgate_upstream_calls_in_flight: { type: "gauge", help: "Calls under way at an upstream.", labels: { upstream: NAMES } },
  tollgate_upstream_calls_queued: { type: "gauge", help: "Calls that wait for one of those to end.", labels: { upstream: NAMES } },
  tollgate_upstream_credentials_cooling: {
    type: "gauge",
    help: "Credentials with a cooldown: they reached the rate limit of some model (busy), or were refused (credential).",
    labels: { upstream: NAMES, reason: COOLING_REASONS },
  },
  tollgate_upstream_model_state: {
    type: "gauge",
    help: "1 for the state that a model at an upstream is in: in use, out, or due for a call that shows whether it is back.",
    labels: { upstream: NAMES, upstream_model: NAMES, state: ROUTE_STATES },
  },
  tollgate_upstream_model_calls_in_flight: {
    type: "gauge",
    help: "Calls under way for a model at an upstream.",
    labels: { upstream: NAMES, upstream_model: NAMES },
  },
  tollgate_deviations_total: {
    type: "counter",
    help: "Answers that parted from the format, by how they did.",
    labels: { upstream: NAMES, deviation: DEVIATION_KINDS },
  },

  tollgate_ledger_unwritten_entries: { type: "gauge", help: "Entries of the ledger that are not in the database yet.", labels: {} },
  tollgate_ledger_in_trouble: { type: "gauge", help: "1 while the ledger cannot be written, and nothing can be spent.", labels: {} },
  tollgate_request_log_queued: { type: "gauge", help: "Requests that are not in the request log yet.", labels: {} },
  tollgate_request_log_written_total: { type: "counter", help: "Requests that were written to the request log.", labels: {} },
  tollgate_request_log_dropped_total: {
    type: "counter",
    help: "Requests that are missing from the request log. Of those without a valid key only so many are kept, on purpose.",
    labels: { reason: DROP_REASONS },
  },
  tollgate_request_log_bodies_dropped_total: {
    type: "counter",
    help: "Requests in the request log without what was said, though their account wants that kept.",
    labels: { reason: BODY_DROP_REASONS },
  },
  tollgate_request_log_in_trouble: { type: "gauge", help: "1 while the request log cannot be written.", labels: {} },
  tollgate_log_lines_dropped_total: { type: "counter", help: "Lines of the log that whatever reads it did not take in time.", labels: {} },
  tollgate_webhook_deliveries_pending: { type: "gauge", help: "Alerts that have not arrived at a webhook yet.", labels: {} },
  tollgate_webhook_tries_total: {
    type: "counter",
    help: "Attempts to deliver an alert to a webhook.",
    labels: { result: ATTEMPT_RESULTS },
  },
  tollgate_webhook_deliveries_dropped_total: { type: "counter", help: "Deliveries for which there was no room to wait.", labels: {} },
  tollgate_spans_queued: { type: "gauge", help: "Spans that the collector of traces has not had yet.", labels: {} },
  tollgate_spans_exported_total: { type: "counter", help: "Spans that the collector has taken.", labels: {} },
  tollgate_spans_lost_total: { type: "counter", help: "Spans that the collector will not have.", labels: { reason: SPAN_LOSSES } },
  tollgate_config_last_reload_successful: {
    type: "gauge",
    help: "1 where the config file could be used when it was last read.",
    labels: {},
  },
  tollgate_config_last_reload_success_timestamp_seconds: {
    type: "gauge",
    help: "When the config file was last put in force.",
    labels: {},
  },
  tollgate_event_loop_lag_seconds: {
    type: "histogram",
    help: "How late a timer was, tried ten times a second: every request waits that long now and then.",
    labels: {},
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  tollgate_heap_used_bytes: { type: "gauge", help: "Memory in use for JavaScript objects.", labels: {} },
  tollgate_build_info: { type: "gauge", help: "Always 1. The version that runs is its label.", labels: { version: NAMES } },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory of the process.", labels: {} },
  process_cpu_seconds_total: { type: "counter", help: "CPU time that the process has used.", labels: {} },
  process_start_time_seconds: { type: "gauge", help: "When the process started, in seconds since 1970.", labels: {} },
} as const satisfies Record<string, Description>;

export type MetricName = keyof typeof METRICS;

/** The names of the metrics of one type. */
export type NameOf<Type extends Description["type"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["type"] extends Type ? Name : never;
}[MetricName];

/** The names of counters and gauges that are one number. */
export type Unlabelled = {
  [Name in NameOf<"counter" | "gauge">]: keyof (typeof METRICS)[Name]["labels"] extends never ? Name : never;
}[NameOf<"counter" | "gauge">];

/** The labels of a metric, each with the values that it may have. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in keyof (typeof METRICS)[Name]["labels"]]: (typeof METRICS)[Name]["labels"][Label] extends Values
    ? ValueOf<(typeof METRICS)[Name]["labels"][Label]>
    : never;
};

/** Always in the order of the description, so that the same labels are the same text. */
export function writeLabelsOf<Name extends MetricName>(name: Name, labels: LabelsOf<Name>): string {
  const values: Readonly<Record<string, string>> = labels;
  return writeLabels(Object.fromEntries(Object.keys(METRICS[name].labels).map((label) => [label, values[label]!])));
}
