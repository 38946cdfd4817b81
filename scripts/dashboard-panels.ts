/** The panels of the dashboard, by row. Queries are in PromQL; `I` selects the chosen instances, `M` the models too. */
export interface Panel {
  readonly title: string;
  /** The meaning of the panel, and what to watch for. */
  readonly about: string;
  readonly kind: "timeseries" | "stat" | "state-timeline";
  /** A Grafana unit. */
  readonly unit: string;
  readonly width: number;
  readonly isStacked?: true;
  /** Legend → query. */
  readonly queries: Readonly<Record<string, string>>;
  /** The thresholds for yellow and red. */
  readonly thresholds?: readonly [yellow: number, red: number];
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const I = 'instance=~"$instance"';
const M = `${I},model=~"$model"`;
const RATE = "[$__rate_interval]";

function quantiles(metric: string, labels: string, by: string, ...wanted: readonly number[]): Record<string, string> {
  const legend = by === "" ? "" : ` {{${by}}}`;
  const grouping = by === "" ? "le" : `${by}, le`;
  return Object.fromEntries(
    wanted.map((q) => [
      `p${q * 100}${legend}`,
      `histogram_quantile(${q}, sum by (${grouping}) (rate(${metric}_bucket{${labels}}${RATE})))`,
    ]),
  );
}

const FAILED_SHARE = `sum(rate(tollgate_requests_total{${M},outcome="failed"}${RATE})) / sum(rate(tollgate_requests_total{${M}}${RATE}))`;

export const ROWS: readonly Row[] = [
  {
    title: "Overview",
    panels: [
      {
        title: "Requests",
        about: "Chat completions per second.",
        kind: "stat",
        unit: "reqps",
        width: 4,
        queries: { requests: `sum(rate(tollgate_requests_total{${M}}${RATE}))` },
      },
      {
        title: "Failed",
        about:
          "Share of requests that failed at the gateway or an upstream, including streams that were cut off. Client errors are not included.",
        kind: "stat",
        unit: "percentunit",
        width: 4,
        thresholds: [0.01, 0.05],
        queries: { failed: FAILED_SHARE },
      },
      {
        title: "Time to first token, p95",
        about: "Streams only.",
        kind: "stat",
        unit: "s",
        width: 4,
        queries: quantiles("tollgate_time_to_first_token_seconds", M, "", 0.95),
      },
      {
        title: "Charged, last hour",
        about: "Dollars charged to accounts.",
        kind: "stat",
        unit: "currencyUSD",
        width: 4,
        queries: { charged: `sum(increase(tollgate_charged_dollars_total{${M}}[1h]))` },
      },
      {
        title: "Ejected models",
        about: "Circuit breaker: models at upstreams that failed too often and are ejected or being probed.",
        kind: "stat",
        unit: "short",
        width: 4,
        thresholds: [1, 3],
        queries: { ejected: `sum(tollgate_upstream_model_state{${I},state=~"ejected|probing"}) or vector(0)` },
      },
      {
        title: "In flight",
        about: "Requests in flight.",
        kind: "stat",
        unit: "short",
        width: 4,
        queries: { open: `sum(tollgate_requests_in_flight{${I},listener="gateway"})` },
      },
    ],
  },
  {
    title: "Traffic and errors",
    panels: [
      {
        title: "Requests by outcome",
        about: "`refused` is up to the client or the operator; `failed` is an error of the gateway or an upstream.",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        isStacked: true,
        queries: { "{{outcome}}": `sum by (outcome) (rate(tollgate_requests_total{${M}}${RATE}))` },
      },
      {
        title: "Requests by model",
        about: "The ten most requested models.",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: { "{{model}}": `topk(10, sum by (model) (rate(tollgate_requests_total{${M}}${RATE})))` },
      },
      {
        title: "Errors by code",
        about: "docs/errors.md explains each.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        isStacked: true,
        queries: { "{{code}}": `sum by (code) (rate(tollgate_errors_total{${I},listener="gateway"}${RATE})) > 0` },
      },
      {
        title: "Rate limit hits",
        about: "Rejections by rate and concurrency limits, by scope and limit.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{scope}}: {{limit}}": `sum by (scope, limit) (rate(tollgate_limit_hits_total{${I}}${RATE}))` },
      },
      {
        title: "HTTP requests by listener",
        about: "All requests, health probes included.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{listener}} {{status}}": `sum by (listener, status) (rate(tollgate_http_requests_total{${I}}${RATE})) > 0` },
      },
    ],
  },
  {
    title: "Latency",
    panels: [
      {
        title: "Time to first token",
        about: "Streams only, by model.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_time_to_first_token_seconds", M, "model", 0.5, 0.95),
      },
      {
        title: "Time per output token",
        about: "Complete streams only, after the first token.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_time_per_output_token_seconds", M, "model", 0.5, 0.95),
      },
      {
        title: "Duration",
        about: "From the first header to the last byte of the response.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_request_duration_seconds", M, "model", 0.5, 0.95),
      },
    ],
  },
  {
    title: "Tokens and cost",
    panels: [
      {
        title: "Tokens",
        about: "Each token has one kind only.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        isStacked: true,
        queries: { "{{kind}}": `sum by (kind) (rate(tollgate_tokens_total{${M}}${RATE}))` },
      },
      {
        title: "Charged per hour",
        about: "At the current rate.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        isStacked: true,
        queries: { "{{model}}": `sum by (model) (rate(tollgate_charged_dollars_total{${M}}${RATE})) * 3600` },
      },
      {
        title: "Uncharged per hour",
        about: "Cost of responses that was not charged: upstreams reported more tokens than the hold covered.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        queries: { "{{model}}": `sum by (model) (rate(tollgate_uncharged_dollars_total{${M}}${RATE})) * 3600` },
      },
      {
        title: "Reserved credit",
        about: "Follows the requests in flight. If it only grows, see the alert TollgateHoldsLeak.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        queries: { "{{instance}}": `tollgate_holds_open_dollars{${I}}` },
      },
      {
        title: "Holds and requests in flight",
        about: "Both should move together.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "holds {{instance}}": `tollgate_holds_open{${I}}`,
          "in flight {{instance}} {{listener}}": `tollgate_requests_in_flight{${I}}`,
        },
      },
      {
        title: "Cache hit rate",
        about: "Response cache hits, for models with a response cache.",
        kind: "timeseries",
        unit: "percentunit",
        width: 8,
        queries: {
          "{{model}}": `sum by (model) (rate(tollgate_cache_lookups_total{${M},result="hit"}${RATE})) / sum by (model) (rate(tollgate_cache_lookups_total{${M}}${RATE}))`,
        },
      },
    ],
  },
  {
    title: "Upstreams",
    panels: [
      {
        title: "State",
        about: "Circuit breaker: healthy, or ejected and probed.",
        kind: "state-timeline",
        unit: "short",
        width: 8,
        queries: {
          "{{upstream}} {{upstream_model}}": `max by (upstream, upstream_model) (tollgate_upstream_model_state{${I},state=~"ejected|probing"})`,
        },
      },
      {
        title: "Failed attempts",
        about: "Clients notice nothing when failover succeeds.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: {
          "{{upstream}} {{outcome}}": `sum by (upstream, outcome) (rate(tollgate_attempts_total{${I},outcome!="answered"}${RATE})) > 0`,
        },
      },
      {
        title: "Fallbacks",
        about:
          "Requests per second that another model answered, by the requested model and the reason. They are charged at the price of the model that answered.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{model}} {{reason}}": `sum by (model, reason) (rate(tollgate_fallbacks_total{${M}}${RATE})) > 0` },
      },
      {
        title: "Upstream calls in flight",
        about: "With the calls that wait for a free slot.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "{{upstream}}": `sum by (upstream) (tollgate_upstream_calls_in_flight{${I}})`,
          "{{upstream}} queued": `sum by (upstream) (tollgate_upstream_calls_queued{${I}}) > 0`,
        },
      },
      {
        title: "Credentials in cooldown",
        about: "`busy`: rate limited. `credential`: rejected, or out of funds.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{upstream}} {{reason}}": `sum by (upstream, reason) (tollgate_upstream_credentials_cooling{${I}})` },
      },
      {
        title: "Format deviations",
        about: "docs/wire-format.md explains each.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{upstream}} {{deviation}}": `sum by (upstream, deviation) (rate(tollgate_deviations_total{${I}}${RATE}))` },
      },
      {
        title: "Expiry of identities",
        about: "Time until the credentials of identities at clouds expire. They are refreshed before.",
        kind: "timeseries",
        unit: "s",
        width: 12,
        queries: { "{{upstream}}": `min by (upstream) (tollgate_upstream_identity_expiry_seconds{${I}})` },
      },
      {
        title: "Failed refreshes of identities",
        about: "Failed attempts to obtain or refresh credentials.",
        kind: "timeseries",
        unit: "short",
        width: 12,
        queries: {
          "{{upstream}}": `sum by (upstream) (increase(tollgate_upstream_identity_refresh_failures_total{${I}}${RATE})) > 0`,
        },
      },
    ],
  },
  {
    title: "Gateway",
    panels: [
      {
        title: "Overhead",
        about: "The gateway's own part of the response time.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_gateway_overhead_seconds", I, "", 0.5, 0.95, 0.99),
      },
      {
        title: "Event loop lag",
        about: "Delay of a timer: everything in the process waits this long now and then.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_event_loop_lag_seconds", I, "", 0.5, 0.99),
      },
      {
        title: "CPU",
        about: "In cores. JavaScript uses one.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{instance}}": `rate(process_cpu_seconds_total{${I},job="tollgate"}${RATE})` },
      },
      {
        title: "Memory",
        about: "Resident memory, and the JavaScript heap.",
        kind: "timeseries",
        unit: "bytes",
        width: 8,
        queries: {
          "resident {{instance}}": `process_resident_memory_bytes{${I},job="tollgate"}`,
          "heap {{instance}}": `tollgate_heap_used_bytes{${I}}`,
        },
      },
      {
        title: "Write queues",
        about: "Ledger entries, request log, spans and webhook deliveries.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "ledger {{instance}}": `tollgate_ledger_unwritten_entries{${I}}`,
          "request log {{instance}}": `tollgate_request_log_queued{${I}}`,
          "spans {{instance}}": `tollgate_spans_queued{${I}}`,
          "webhooks {{instance}}": `tollgate_webhook_deliveries_pending{${I}}`,
        },
      },
      {
        title: "Processes",
        about: "Of all machines, by state. A disconnected one has not called for 30 seconds.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{state}}": `max by (state) (tollgate_instances{${I}})` },
      },
      {
        title: "Leased credit",
        about:
          "By the state of the process. Nobody can spend what disconnected processes have leased: start them again, or write them off.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        queries: { "{{state}}": `max by (state) (tollgate_instances_leased_dollars{${I}})` },
      },
      {
        title: "Drops and write failures",
        about: "Dropped records per second, and 1 for a store that cannot be written.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "request log drops {{reason}}": `sum by (reason) (rate(tollgate_request_log_dropped_total{${I}}${RATE}))`,
          "bodies dropped {{reason}}": `sum by (reason) (rate(tollgate_request_log_bodies_dropped_total{${I}}${RATE}))`,
          "log lines {{instance}}": `rate(tollgate_log_lines_dropped_total{${I}}${RATE})`,
          "spans {{reason}}": `sum by (reason) (rate(tollgate_spans_lost_total{${I}}${RATE}))`,
          "ledger unwritable {{instance}}": `tollgate_ledger_unwritable{${I}}`,
          "request log unwritable {{instance}}": `tollgate_request_log_unwritable{${I}}`,
        },
      },
      {
        title: "Bytes",
        about: "Bodies of chat completions.",
        kind: "timeseries",
        unit: "Bps",
        width: 8,
        queries: {
          in: `sum(rate(tollgate_request_bytes_total{${I}}${RATE}))`,
          out: `sum(rate(tollgate_reply_bytes_total{${I}}${RATE}))`,
        },
      },
      {
        title: "Connections",
        about: "Open connections, by whether a request on them had a valid credential. Many without one may be an attack.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{listener}} {{state}}": `sum by (listener, state) (tollgate_connections{${I}})` },
      },
      {
        title: "Request body memory",
        about: "Bytes in use, and the budget above which uploads are rejected with 503.",
        kind: "timeseries",
        unit: "bytes",
        width: 8,
        queries: {
          "in use {{instance}}": `tollgate_request_bodies_bytes{${I}}`,
          "budget {{instance}}": `tollgate_request_bodies_max_bytes{${I}}`,
        },
      },
      {
        title: "Rejected uploads and closed connections",
        about: "Per second, to bound the resources of clients without credit or a key.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "upload {{reason}}": `sum by (reason) (rate(tollgate_uploads_rejected_total{${I}}${RATE}))`,
          "connection {{reason}}": `sum by (reason) (rate(tollgate_connections_closed_total{${I}}${RATE}))`,
        },
      },
      {
        title: "Config reload",
        about: "1 when the last reload of the config file succeeded.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{instance}}": `tollgate_config_last_reload_successful{${I}}` },
      },
      {
        title: "Version",
        about: "Running versions and their start times.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{version}} {{instance}}": `tollgate_build_info{${I}}` },
      },
    ],
  },
];
