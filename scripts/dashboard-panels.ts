/** What the dashboard shows, row by row. Queries are in PromQL; `I` stands for the instances that were chosen, `M` for the models. */
export interface Panel {
  readonly title: string;
  /** What it means, and what to look for. */
  readonly about: string;
  readonly kind: "timeseries" | "stat" | "state-timeline";
  /** A unit of Grafana's. */
  readonly unit: string;
  readonly width: number;
  readonly isStacked?: true;
  /** Legend → query. */
  readonly queries: Readonly<Record<string, string>>;
  /** From which value on it is yellow, and from which red. */
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
    title: "At a glance",
    panels: [
      {
        title: "Requests",
        about: "Chat completions that ended, a second.",
        kind: "stat",
        unit: "reqps",
        width: 4,
        queries: { requests: `sum(rate(tollgate_requests_total{${M}}${RATE}))` },
      },
      {
        title: "Failed",
        about: "By us or by upstreams, also in the middle of a stream. What callers did wrong is not in it.",
        kind: "stat",
        unit: "percentunit",
        width: 4,
        thresholds: [0.01, 0.05],
        queries: { failed: FAILED_SHARE },
      },
      {
        title: "First token, p95",
        about: "Of streams, from the request to the first piece of the answer.",
        kind: "stat",
        unit: "s",
        width: 4,
        queries: quantiles("tollgate_time_to_first_token_seconds", M, "", 0.95),
      },
      {
        title: "Charged in the last hour",
        about: "What accounts were charged.",
        kind: "stat",
        unit: "currencyUSD",
        width: 4,
        queries: { charged: `sum(increase(tollgate_charged_dollars_total{${M}}[1h]))` },
      },
      {
        title: "Models left out",
        about: "Models at upstreams that failed too often and are not called at the moment.",
        kind: "stat",
        unit: "short",
        width: 4,
        thresholds: [1, 3],
        queries: { out: `sum(tollgate_upstream_model_state{${I},state=~"out|due"}) or vector(0)` },
      },
      {
        title: "Open requests",
        about: "Under way at this moment.",
        kind: "stat",
        unit: "short",
        width: 4,
        queries: { open: `sum(tollgate_open_requests{${I},listener="gateway"})` },
      },
    ],
  },
  {
    title: "Traffic and errors",
    panels: [
      {
        title: "Requests by outcome",
        about: "Refused is what the caller or the operator can change; failed is what neither can.",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        isStacked: true,
        queries: { "{{outcome}}": `sum by (outcome) (rate(tollgate_requests_total{${M}}${RATE}))` },
      },
      {
        title: "Requests by model",
        about: "The ten that are asked most.",
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
        title: "Limits hit",
        about: "Whose limit had no room, and which.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{scope}}: {{limit}}": `sum by (scope, limit) (rate(tollgate_limit_hits_total{${I}}${RATE}))` },
      },
      {
        title: "HTTP by listener",
        about: "Everything that was asked, probes included.",
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
        about: "Of streams.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_time_to_first_token_seconds", M, "model", 0.5, 0.95),
      },
      {
        title: "Time per output token",
        about: "Of streams that came whole, for each token after the first.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_time_per_output_token_seconds", M, "model", 0.5, 0.95),
      },
      {
        title: "Duration",
        about: "From the first header to the last byte.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_request_duration_seconds", M, "model", 0.5, 0.95),
      },
    ],
  },
  {
    title: "Tokens and money",
    panels: [
      {
        title: "Tokens",
        about: "Each is of one kind only.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        isStacked: true,
        queries: { "{{kind}}": `sum by (kind) (rate(tollgate_tokens_total{${M}}${RATE}))` },
      },
      {
        title: "Charged, an hour",
        about: "At the pace of this moment.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        isStacked: true,
        queries: { "{{model}}": `sum by (model) (rate(tollgate_charged_dollars_total{${M}}${RATE})) * 3600` },
      },
      {
        title: "Not charged, an hour",
        about: "What answers cost beyond what was charged: upstreams counted more tokens than was set aside for.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        queries: { "{{model}}": `sum by (model) (rate(tollgate_uncharged_dollars_total{${M}}${RATE})) * 3600` },
      },
      {
        title: "Credit set aside",
        about: "It goes up and down with the requests under way. If it only goes up, see the alert about holds.",
        kind: "timeseries",
        unit: "currencyUSD",
        width: 8,
        queries: { "{{instance}}": `tollgate_holds_open_dollars{${I}}` },
      },
      {
        title: "Holds and open requests",
        about: "The two should go together.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "holds {{instance}}": `tollgate_holds_open{${I}}`,
          "open {{instance}} {{listener}}": `tollgate_open_requests{${I}}`,
        },
      },
      {
        title: "Answers given again",
        about: "The share of requests that were answered from what was kept, of models that keep answers.",
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
        about: "In use, out, or due for a call that shows whether it is back.",
        kind: "state-timeline",
        unit: "short",
        width: 12,
        queries: {
          "{{upstream}} {{upstream_model}}": `max by (upstream, upstream_model) (tollgate_upstream_model_state{${I},state=~"out|due"})`,
        },
      },
      {
        title: "Attempts that did not answer",
        about: "A caller notices nothing where another try does.",
        kind: "timeseries",
        unit: "reqps",
        width: 12,
        queries: {
          "{{upstream}} {{outcome}}": `sum by (upstream, outcome) (rate(tollgate_attempts_total{${I},outcome!="answered"}${RATE})) > 0`,
        },
      },
      {
        title: "Calls under way",
        about: "And those that wait for one of them to end.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "{{upstream}}": `sum by (upstream) (tollgate_upstream_calls_in_flight{${I}})`,
          "{{upstream}} waiting": `sum by (upstream) (tollgate_upstream_calls_queued{${I}}) > 0`,
        },
      },
      {
        title: "Credentials left alone",
        about: "Busy: it had its share. Credential: it was refused, or has no money behind it.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{upstream}} {{reason}}": `sum by (upstream, reason) (tollgate_upstream_credentials_cooling{${I}})` },
      },
      {
        title: "Answers that part from the format",
        about: "docs/wire-format.md explains each.",
        kind: "timeseries",
        unit: "reqps",
        width: 8,
        queries: { "{{upstream}} {{deviation}}": `sum by (upstream, deviation) (rate(tollgate_deviations_total{${I}}${RATE}))` },
      },
    ],
  },
  {
    title: "The gateway itself",
    panels: [
      {
        title: "Overhead",
        about: "What the gateway took of an answer's time.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_gateway_overhead_seconds", I, "", 0.5, 0.95, 0.99),
      },
      {
        title: "Event loop lag",
        about: "How late a timer is: so long everything waits now and then.",
        kind: "timeseries",
        unit: "s",
        width: 8,
        queries: quantiles("tollgate_event_loop_lag_seconds", I, "", 0.5, 0.99),
      },
      {
        title: "CPU",
        about: "In cores. JavaScript can use one.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{instance}}": `rate(process_cpu_seconds_total{${I},job="tollgate"}${RATE})` },
      },
      {
        title: "Memory",
        about: "Of the process, and of the JavaScript objects in it.",
        kind: "timeseries",
        unit: "bytes",
        width: 8,
        queries: {
          "resident {{instance}}": `process_resident_memory_bytes{${I},job="tollgate"}`,
          "heap {{instance}}": `tollgate_heap_used_bytes{${I}}`,
        },
      },
      {
        title: "Waiting to be written",
        about: "Entries of the ledger, requests for the request log, spans for the collector and alerts for webhooks.",
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
        title: "Lost or in trouble",
        about: "What is not written at all, and 1 for what cannot be written at the moment.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "request log drops {{reason}}": `sum by (reason) (rate(tollgate_request_log_dropped_total{${I}}${RATE}))`,
          "bodies not kept {{reason}}": `sum by (reason) (rate(tollgate_request_log_bodies_dropped_total{${I}}${RATE}))`,
          "log lines {{instance}}": `rate(tollgate_log_lines_dropped_total{${I}}${RATE})`,
          "spans {{reason}}": `sum by (reason) (rate(tollgate_spans_lost_total{${I}}${RATE}))`,
          "ledger in trouble {{instance}}": `tollgate_ledger_in_trouble{${I}}`,
          "request log in trouble {{instance}}": `tollgate_request_log_in_trouble{${I}}`,
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
        about: "Open ones, by whether a request on them had a valid credential. Many without one may be an attack.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{listener}} {{state}}": `sum by (listener, state) (tollgate_connections{${I}})` },
      },
      {
        title: "Memory of request bodies",
        about: "Bytes received and still in use, and the budget. Above it uploads are rejected with 503.",
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
        about: "To bound what callers without credit or without a key can hold, a second.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: {
          "upload {{reason}}": `sum by (reason) (rate(tollgate_uploads_rejected_total{${I}}${RATE}))`,
          "connection {{reason}}": `sum by (reason) (rate(tollgate_connections_closed_total{${I}}${RATE}))`,
        },
      },
      {
        title: "Config file",
        about: "1 while the file that was last read is in force.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{instance}}": `tollgate_config_last_reload_successful{${I}}` },
      },
      {
        title: "Version",
        about: "What runs where, and since when.",
        kind: "timeseries",
        unit: "short",
        width: 8,
        queries: { "{{version}} {{instance}}": `tollgate_build_info{${I}}` },
      },
    ],
  },
];
