import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT } from "../support/gateway/start-gateway.ts";

const RULES_FILE = join(ROOT, "deploy/alert-rules.yml");
const { groups } = parse(readFileSync(RULES_FILE, "utf8")) as { groups: { rules: { alert: string }[] }[] };
const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

/** Series → its value at each minute, in the notation of promtool: `1x60` is constant, `0+5x60` grows. */
type History = Readonly<Record<string, string>>;

const request = (outcome: string, status: number): string =>
  `tollgate_requests_total{model="a",endpoint="chat_completions",status="${status}",outcome="${outcome}",stream="false"}`;

const state = (name: string): string => `tollgate_upstream_model_state{upstream="u",upstream_model="m",state="${name}"}`;

function buckets(metric: string, labels: string, bound: string, within: number, next: string): History {
  const le = (value: string): string => `${metric}_bucket{${labels}le="${value}"}`;
  return { [le(bound)]: `0+${within}x90`, [le(next)]: "0+100x90", [le("+Inf")]: "0+100x90" };
}

/** A history of a healthy gateway, or, with other numbers, of an unhealthy one. */
function history(isWell: boolean): History {
  const either = (well: string, bad: string): string => (isWell ? well : bad);
  return {
    'up{job="tollgate"}': either("1x90", "0x90"),
    [request("complete", 200)]: "0+60x90",
    [request("failed", 502)]: either("0+1x90", "0+60x90"),
    'tollgate_errors_total{listener="gateway",code="internal_error"}': either("0x90", "0+1x90"),
    [state("healthy")]: either("1x90", "0x90"),
    // The probe of an ejected route becomes due now and then, which does not mean that the route has recovered.
    [state("ejected")]: either("0x90", Array.from({ length: 90 }, (_, at) => (at % 3 === 0 ? 0 : 1)).join(" ")),
    [state("probing")]: either("0x90", Array.from({ length: 90 }, (_, at) => (at % 3 === 0 ? 1 : 0)).join(" ")),
    'tollgate_upstream_credentials_cooling{upstream="u",reason="credential"}': either("0x90", "1x90"),
    'tollgate_upstream_credentials_cooling{upstream="u",reason="busy"}': "1x90",
    'tollgate_upstream_calls_queued{upstream="u"}': either("0 0 5 0 0 5x3 0x90", "3x90"),
    tollgate_ledger_unwritable: either("0x90", "1x90"),
    tollgate_ledger_unwritten_entries: either("30x90", "5000x90"),
    tollgate_holds_open: either("60x90", "200x90"),
    'tollgate_requests_in_flight{listener="gateway"}': "50x90",
    'tollgate_uncharged_dollars_total{model="a"}': either("0+0.001x90", "0+0.1x90"),
    'tollgate_uploads_rejected_total{reason="budget"}': either("0x90", "0+5x90"),
    'tollgate_request_log_dropped_total{reason="queue_full"}': either("0x90", "0+5x90"),
    'tollgate_request_log_dropped_total{reason="without_key"}': "0+100x90",
    tollgate_request_log_unwritable: either("0x90", "1x90"),
    tollgate_webhook_deliveries_pending: either("2x20 0x70", "2x90"),
    'tollgate_instances{state="live"}': "2x90",
    'tollgate_instances{state="disconnected"}': either("0x30 1x3 0x57", "1x90"),
    tollgate_config_last_reload_successful: either("1x90", "0x90"),
    ...buckets("tollgate_event_loop_lag_seconds", "", "0.1", isWell ? 100 : 90, "0.25"),
    ...buckets("tollgate_gateway_overhead_seconds", "", "0.05", isWell ? 100 : 90, "0.1"),
    ...buckets("tollgate_time_to_first_token_seconds", 'model="a",', "10", isWell ? 100 : 50, "30"),
    'tollgate_time_to_first_token_seconds_count{model="a"}': "0+100x90",
  };
}

/** Traffic yesterday, and none since then. */
const FORSAKEN: History = { [request("complete", 200)]: `0+60x120 7200x1440`, 'up{job="tollgate"}': "1x1560" };

/** Ejected at the end of the day, and probing all night without traffic. */
const QUIET: History = {
  [request("complete", 200)]: "0+60x90",
  'up{job="tollgate"}': "1x90",
  [state("healthy")]: "1x30 0x60",
  [state("ejected")]: "0x30 1x5 0x54",
  [state("probing")]: "0x36 1x53",
};

interface Situation {
  readonly name: string;
  readonly series: History;
  readonly at: string;
  /** The evaluation interval of the rules. */
  readonly every: string;
  readonly firing: readonly string[];
}

const SITUATIONS: readonly Situation[] = [
  { name: "all is well", series: history(true), at: "85m", every: "1m", firing: [] },
  { name: "nothing is", series: history(false), at: "85m", every: "1m", firing: alerts.filter((alert) => alert !== "TollgateNoTraffic") },
  ...["40m", "85m"].map((at) => ({ name: `nobody calls a model that failed (${at})`, series: QUIET, at, every: "1m", firing: [] })),
  { name: "nobody calls any more", series: FORSAKEN, at: "1530m", every: "5m", firing: ["TollgateNoTraffic"] },
];

const promtool = Bun.which("promtool");

for (const { name, series, at, every, firing } of SITUATIONS) {
  test.skipIf(promtool === null)(`where promtool is installed: when ${name}, the alerts for it fire and no other`, () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-alerts-"));
    const file = join(folder, "situation.yml");
    const samples = firing.toSorted().map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
    const asked = { expr: 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time: at, exp_samples: samples };
    const played = Object.entries(series).map(([each, values]) => ({ series: withInstance(each), values }));
    const situation = { interval: "1m", input_series: played, promql_expr_test: [asked] };
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES_FILE], evaluation_interval: every, tests: [situation] }));
    const { exitCode, stdout, stderr } = Bun.spawnSync([promtool!, "test", "rules", file]);
    rmSync(folder, { recursive: true });
    expect([exitCode, `${stdout.toString()}${stderr.toString()}`]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
}

function withInstance(series: string): string {
  return series.includes("{") ? series.replace("{", '{instance="gw",') : `${series}{instance="gw"}`;
}
