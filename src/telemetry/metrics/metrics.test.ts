import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { attempt, charge, endedRequest } from "../../../test/metrics/ended-requests.ts";
import { parseExposition, type ParsedSample } from "../../../test/metrics/parse-exposition.ts";
import { MODEL_PATHS, type EndedRequest, type RequestNotes, type RequestObserver } from "../../requests/request-notes.ts";
import { FALLBACK_CONDITIONS } from "../../models/fallbacks.ts";
import type { ModelHealth, UpstreamHealth } from "../../models/upstream-health.ts";
import { mostSeries } from "../../../scripts/write-metrics.ts";
import { PLATFORM_CODES } from "../../requests/api-error.ts";
import { DEVIATION_KINDS, PROVENANCES, STATUSES } from "./label-values.ts";
import { METRICS, type MetricName } from "./descriptions.ts";
import { Metrics, type GaugeValues, IdentityMetrics } from "./metrics.ts";
import type { MeasuredRequest } from "./measured-request.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { BoundedNames } from "./bounded-names.ts";

describe("metrics", () => {
  const QUIET: GaugeValues = {
    process: {
      version: "1.2.3",
      commit: "abc",
      openRequests: { gateway: 3, platform: 1 },
      connections: {
        gateway: { authenticated: 4, unauthenticated: 5, closed: { full: 1, address_limit: 2, unauthenticated: 3, rejected_upload: 4 } },
        platform: { authenticated: 6, unauthenticated: 0, closed: { full: 0, address_limit: 0, unauthenticated: 7, rejected_upload: 0 } },
      },
      bodies: {
        heldBytes: 1000,
        maxBytes: 2000,
        rejected: { no_credit: 1, rate_limit: 2, one_at_a_time: 3, account_share: 5, budget: 4, deadline: 0 },
      },
      mirrors: { counts: { answered: 15, failed: 16 }, drops: { memory: 0, in_flight: 17, ejected: 0, unavailable: 0, stopped: 0 } },
      ledger: { openHolds: 2, heldNanos: 1_500_000_000n, unwrittenEntries: 4, failure: undefined },
      attributionOverflows: { user: 4, conversation: 0, tag: 0 },
      requestLog: {
        queued: 5,
        written: 6,
        drops: { queue_full: 7, without_key: 0, no_disk_room: 0 },
        bodyDrops: { no_memory: 0, hook_failed: 8, no_disk_room: 0 },
        failure: undefined,
      },
      log: { dropped: 9 },
      webhooks: { pending: 8, delivered: 9, failedAttempts: 10, dropped: 0 },
      instances: {
        starting: { count: 1, leasedNanos: 0n },
        live: { count: 2, leasedNanos: 2_500_000_000n },
        disconnected: { count: 3, leasedNanos: 500_000_000n },
        draining: { count: 4, leasedNanos: 0n },
      },
      traces: { queued: 11, exported: 12, dropped: 13, failed: 14 },
      configFile: { isRefused: false, inForceSinceMs: 1_800_000_000_500 },
    },
    upstreams: [],
    deviations: [],
  };

  let metrics: Metrics;
  let gateway: RequestObserver;
  let platform: RequestObserver;

  beforeEach(() => {
    metrics = new Metrics();
    gateway = metrics.ofGateway();
    platform = metrics.ofPlatform();
  });
  afterEach(() => metrics.stop());

  async function samples(measured: GaugeValues = QUIET): Promise<readonly ParsedSample[]> {
    return parseExposition(await metrics.write(measured)).flatMap((family) => family.samples);
  }

  /** The values of a metric by its labels, without those that are zero. */
  async function scrape(metric: string, measured?: GaugeValues): Promise<Record<string, number>> {
    const found = (await samples(measured)).filter(({ name, value }) => name === metric && value !== 0);
    return Object.fromEntries(found.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
  }

  test("memory and connections of callers, and rejections by their limits, are reported for each reason", async () => {
    expect(await scrape("tollgate_connections")).toEqual({
      "gateway authenticated": 4,
      "gateway unauthenticated": 5,
      "platform authenticated": 6,
    });
    expect(await scrape("tollgate_connections_closed_total")).toEqual({
      "gateway full": 1,
      "gateway address_limit": 2,
      "gateway unauthenticated": 3,
      "gateway rejected_upload": 4,
      "platform unauthenticated": 7,
    });
    expect(await scrape("tollgate_request_bodies_bytes")).toEqual({ "": 1000 });
    expect(await scrape("tollgate_request_bodies_max_bytes")).toEqual({ "": 2000 });
    expect(await scrape("tollgate_uploads_rejected_total")).toEqual({
      no_credit: 1,
      rate_limit: 2,
      one_at_a_time: 3,
      account_share: 5,
      budget: 4,
    });
  });

  describe("a chat completion", () => {
    test("is counted under its model, endpoint, status, outcome and whether it was streamed", async () => {
      gateway(endedRequest());
      gateway(endedRequest());
      gateway(endedRequest({}, { isStream: false, end: undefined }));
      gateway(endedRequest({}, { end: "failed", code: "upstream_error" }));
      gateway(endedRequest({}, { end: "caller_gone" }));
      gateway(endedRequest({ path: "/v1/messages", status: 529 }, { end: undefined, code: "overloaded", charge: undefined }));
      const unknown = { model: undefined, end: undefined, isStream: false, code: "invalid_api_key", charge: undefined };
      gateway(endedRequest({ status: 401 }, unknown));
      gateway(endedRequest({ path: "/v1/responses", status: 401 }, unknown));
      expect(await scrape("tollgate_requests_total")).toEqual({
        "gpt-5 chat_completions 200 complete true": 2,
        "gpt-5 chat_completions 200 complete false": 1,
        "gpt-5 chat_completions 200 failed true": 1,
        "gpt-5 chat_completions 200 client_closed true": 1,
        "gpt-5 messages 529 failed true": 1,
        "none chat_completions 401 refused false": 1,
        "none responses 401 refused false": 1,
      });
      expect(await scrape("tollgate_errors_total")).toEqual({
        "gateway upstream_error": 1,
        "gateway overloaded": 1,
        "gateway invalid_api_key": 2,
      });
    });

    test("is counted with its tokens, each of one kind, and its cost", async () => {
      gateway(endedRequest());
      gateway(endedRequest({}, { charge: charge({ amountNanos: 1n, unchargedNanos: 2n, provenance: "partial" }) }));
      const once = { input: 60, cached_input: 30, cache_write: 10, output: 31, reasoning: 20 };
      const expected = Object.entries(once).flatMap(([kind, count]) => [
        [`gpt-5 ${kind} measured`, count],
        [`gpt-5 ${kind} partial`, count],
      ]);
      expect(await scrape("tollgate_tokens_total")).toEqual(Object.fromEntries(expected));
      expect(await scrape("tollgate_charged_dollars_total")).toEqual({ "gpt-5": 0.000012301 });
      expect(await scrape("tollgate_uncharged_dollars_total")).toEqual({ "gpt-5": 0.000000002 });
    });

    test("is counted with its attempts, the limit that it hit, its bytes and its cache result", async () => {
      gateway(
        endedRequest({}, { attempts: [attempt({ outcome: "busy" }), attempt({ upstream: "groq" }), attempt({ outcome: undefined })] }),
      );
      gateway(endedRequest({ status: 429 }, { limit: { scope: "account", what: "tokens" }, cache: "miss" }));
      expect(await scrape("tollgate_attempts_total")).toEqual({
        "openai busy": 1,
        "openai unfinished": 1,
        "openai answered": 1,
        "groq answered": 1,
      });
      expect(await scrape("tollgate_limit_hits_total")).toEqual({ "account tokens": 1 });
      expect(await scrape("tollgate_request_bytes_total")).toEqual({ "": 200 });
      expect(await scrape("tollgate_reply_bytes_total")).toEqual({ "": 4_000 });
      expect(await scrape("tollgate_cache_lookups_total")).toEqual({ "gpt-5 miss": 1 });
    });

    test("is counted with its latencies", async () => {
      gateway(endedRequest());
      expect(await scrape("tollgate_request_duration_seconds_sum")).toEqual({ "gpt-5": 0.5 });
      expect(await scrape("tollgate_time_to_first_token_seconds_sum")).toEqual({ "gpt-5": 0.2 });
      expect(await scrape("tollgate_time_per_output_token_seconds_sum")).toEqual({ "gpt-5": 0.3 / 50 });
      expect((await scrape("tollgate_gateway_overhead_seconds_sum"))[""]).toBeCloseTo(0.0005, 9);
    });

    test("is charged exactly: ten times ten cents are a dollar, unlike in floating point", async () => {
      for (let at = 0; at < 10; at++) gateway(endedRequest({}, { charge: charge({ amountNanos: 100_000_000n }) }));
      expect(await scrape("tollgate_charged_dollars_total")).toEqual({ "gpt-5": 1 });
    });
  });

  test("other requests are counted by listener and status class only", async () => {
    gateway(endedRequest({ method: "GET", path: "/healthz" }));
    gateway(endedRequest({ method: "GET", path: "/v1/chat/completions", status: 405 }, { code: "method_not_allowed" }));
    platform(endedRequest({ listener: "platform", path: "/api/keys", status: 201 }));
    platform(endedRequest({ listener: "platform", status: 409 }, { code: "already_exists" }));
    expect(await scrape("tollgate_http_requests_total")).toEqual({
      "gateway 2xx": 1,
      "gateway 4xx": 1,
      "platform 2xx": 1,
      "platform 4xx": 1,
    });
    expect(await scrape("tollgate_errors_total")).toEqual({ "gateway method_not_allowed": 1, "platform already_exists": 1 });
    expect(await scrape("tollgate_requests_total")).toEqual({});
  });

  test("an unknown code or status creates no series", async () => {
    const before = new Set((await samples()).map(({ series }) => series));
    const refused = { model: undefined, code: "what-a-caller-says", charge: undefined, attempts: [], begunAt: undefined, end: undefined };
    gateway(endedRequest({ status: 418 }, refused));
    const added = (await samples()).filter(({ series }) => !before.has(series));
    expect(added.map(({ labels }) => Object.values(labels).join(" "))).toEqual(["none chat_completions other refused true"]);
  });

  const FAILING = { source: "a file", expiresAtMs: 1, failure: "no", refreshFailures: 1, clockSkewMs: 0 };
  const OUT: ModelHealth = {
    upstreamModel: "m",
    state: "ejected",
    probeDueInMs: 5,
    inFlight: 2,
    latencyMs: undefined,
    recent: { calls: 1, failures: 1 },
  };

  describe("the health of upstreams", () => {
    const health: UpstreamHealth = {
      inFlight: 2,
      queued: 1,
      models: [OUT],
      credentials: [
        { last4: "aaaa", coolForMs: 10, reason: "busy", models: [{ upstreamModel: "m", coolForMs: 10 }] },
        { last4: "bbbb", coolForMs: 0, reason: "credential", models: [] },
      ],
    };

    test("is reported for each, and for each of its models", async () => {
      const measured: GaugeValues = {
        ...QUIET,
        upstreams: [["openai", health]],
        deviations: [
          { upstream: "openai", model: "one", counts: { id_missing: 2 } },
          { upstream: "openai", model: "two", counts: { id_missing: 3, usage_missing: 1 } },
        ],
      };
      expect(await scrape("tollgate_upstream_calls_in_flight", measured)).toEqual({ openai: 2 });
      expect(await scrape("tollgate_upstream_calls_queued", measured)).toEqual({ openai: 1 });
      expect(await scrape("tollgate_upstream_credentials_cooling", measured)).toEqual({ "openai busy": 1 });
      expect(await scrape("tollgate_upstream_model_state", measured)).toEqual({ "openai m ejected": 1 });
      expect(await scrape("tollgate_upstream_model_calls_in_flight", measured)).toEqual({ "openai m": 2 });
      expect(await scrape("tollgate_deviations_total", measured)).toEqual({ "openai id_missing": 5, "openai usage_missing": 1 });
    });

    test("is summed beyond the limit", async () => {
      const many = Array.from({ length: 250 }, (_, at) => [`upstream-${at}`, health] as const);
      expect(await scrape("tollgate_upstream_calls_in_flight", { ...QUIET, upstreams: many })).toMatchObject({
        "upstream-199": 2,
        other: 100,
      });
    });
  });

  test("models beyond the limit are counted together, and existing series stay", async () => {
    for (let at = 0; at < 1_500; at++) gateway(endedRequest({}, { model: `model-${at}` }));
    gateway(endedRequest({}, { model: "model-0" }));
    const requests = await scrape("tollgate_requests_total");
    expect(Object.keys(requests)).toHaveLength(1_001);
    expect(requests).toMatchObject({
      "model-0 chat_completions 200 complete true": 2,
      "model-999 chat_completions 200 complete true": 1,
      "other chat_completions 200 complete true": 500,
    });
  });

  test("the number of series never exceeds the documented maximum", async () => {
    const ways: Partial<RequestNotes>[] = [{}, { isDryRun: true }, { replayed: "req_1" }, { end: "failed" }, { end: "caller_gone" }];
    const all = STATUSES.flatMap((status) =>
      (status === "200" ? ways : [{}]).flatMap((way, at) =>
        [true, false].map((isStream) => ({
          status: status === "other" ? 418 : Number(status),
          notes: {
            end: undefined,
            ...way,
            isStream,
            cache: isStream ? ("hit" as const) : ("miss" as const),
            charge: charge({ provenance: PROVENANCES[at % 3]! }),
            attempts: [],
          },
        })),
      ),
    );
    for (let at = 0; at < 1_100; at++) {
      const model = at === 0 ? undefined : `model-${at}`;
      gateway(endedRequest({}, { model, attempts: [] }));
      for (const path of Object.values(MODEL_PATHS))
        for (const { status, notes } of all) gateway(endedRequest({ path, status }, { ...notes, model }));
      for (const reason of FALLBACK_CONDITIONS)
        gateway(endedRequest({}, { model, attempts: [], charge: undefined, fallback: { model: "m", reason } }));
    }
    const models = Array.from({ length: 10 }, (_, at) => ({ ...OUT, upstreamModel: `m-${at}` }));
    const names = Array.from({ length: 300 }, (_, at) => `upstream-${at}`);
    for (const upstream of names) gateway(endedRequest({}, { attempts: [attempt({ upstream })] }));
    const counts = Object.fromEntries(DEVIATION_KINDS.map((kind) => [kind, 1]));
    const text = await metrics.write({
      ...QUIET,
      upstreams: names.map((name) => [name, { inFlight: 1, queued: 1, credentials: [], models, identity: FAILING }]),
      deviations: names.map((upstream) => ({ upstream, model: "m", counts })),
    });
    // The gateway does not have the error codes of the platform.
    const missing = Object.keys(PLATFORM_CODES).length;
    expect(text.split("\n").filter((line) => /^[^#]/.test(line))).toHaveLength(mostSeries() - missing);
  });

  test("reports the state of the process", async () => {
    expect(await scrape("tollgate_requests_in_flight")).toEqual({ gateway: 3, platform: 1 });
    expect(await scrape("tollgate_holds_open_dollars")).toEqual({ "": 1.5 });
    expect(await scrape("tollgate_ledger_unwritable")).toEqual({});
    const { process } = QUIET;
    const failure = { ...QUIET, process: { ...process, ledger: { ...process.ledger, failure: "canary: disk full" } } };
    expect(await scrape("tollgate_ledger_unwritable", failure)).toEqual({ "": 1 });
    expect(await scrape("tollgate_request_log_dropped_total")).toEqual({ queue_full: 7 });
    expect(await scrape("tollgate_request_log_bodies_dropped_total")).toEqual({ hook_failed: 8 });
    expect(await scrape("tollgate_mirrored_requests_total")).toEqual({ answered: 15, failed: 16 });
    expect(await scrape("tollgate_mirrored_requests_dropped_total")).toEqual({ in_flight: 17 });
    expect(await scrape("tollgate_attribution_overflow_total")).toEqual({ user: 4 });
    expect(await scrape("tollgate_log_lines_dropped_total")).toEqual({ "": 9 });
    expect(await scrape("tollgate_webhook_delivery_attempts_total")).toEqual({ delivered: 9, failed: 10 });
    expect(await scrape("tollgate_instances")).toEqual({ starting: 1, live: 2, disconnected: 3, draining: 4 });
    expect(await scrape("tollgate_instances_leased_dollars")).toEqual({ live: 2.5, disconnected: 0.5 });
    expect(await scrape("tollgate_spans_lost_total")).toEqual({ dropped: 13, failed: 14 });
    expect(await scrape("tollgate_build_info")).toEqual({ "1.2.3 abc": 1 });
    expect((await scrape("process_resident_memory_bytes"))[""]).toBeGreaterThan(1e6);
    const startedAt = (await scrape("process_start_time_seconds"))[""]!;
    expect(Date.now() / 1000 - startedAt).toBeLessThan(3_600);
    expect(startedAt).toBeLessThan(Date.now() / 1000);
  });

  test("measures the event loop lag", async () => {
    const until = performance.now() + 300;
    while (performance.now() < until);
    await eventually(
      () => Promise.all(["count", "sum"].map(async (of) => (await scrape(`tollgate_event_loop_lag_seconds_${of}`))[""])),
      ([count = 0, sum = 0]) => count > 0 && sum > 0.1,
    );
  });

  test("every metric is described, with the labels that it has and no other value than the description allows", async () => {
    gateway(endedRequest({}, { cache: "hit" }));
    const health = { inFlight: 0, queued: 0, models: [], credentials: [], identity: FAILING };
    const families = parseExposition(await metrics.write({ ...QUIET, upstreams: [["openai", health]] }));
    for (const { name, type, help, samples: each } of families) {
      const described = METRICS[name as MetricName];
      expect({ type, help }).toEqual({ type: described.type, help: described.help });
      for (const { labels } of each) {
        const { le: _, ...own } = labels;
        expect(Object.keys(own)).toEqual(Object.keys(described.labels));
        for (const [label, allowed] of Object.entries<readonly string[] | "names">(described.labels)) {
          if (allowed !== "names") expect(allowed).toContain(own[label]!);
        }
      }
    }
  });

  test("nothing that callers choose, nor anything that is made for each of them, is in the text or within reach", async () => {
    gateway(endedRequest());
    gateway(
      endedRequest({ status: 400, path: "/v1/chat/completions" }, { model: undefined, code: "invalid_value", param: "canary-param" }),
    );
    platform(endedRequest({ path: "/canary-path" }, { actor: "canary-actor" }));
    const { process } = QUIET;
    const ledger = { ...process.ledger, failure: "canary-failure" };
    expect(await metrics.write({ ...QUIET, process: { ...process, ledger } })).not.toContain("canary");

    const whole: EndedRequest = endedRequest();
    const { notes }: MeasuredRequest = whole;
    // @ts-expect-error: the requested model name is not accessible
    expect(notes.requestedModel).toBe("canary-model");
    // @ts-expect-error: neither is the key
    expect(notes.keyId).toBe("canary-key");
    // @ts-expect-error: not even through the charge
    expect(notes.charge?.keyId).toBe("canary-key");
    // @ts-expect-error: nor are the messages of upstreams
    expect(notes.attempts[0]?.detail).toBe("canary-detail");
  });
});

describe("identity metrics", () => {
  const NOW_MS = 1_000_000;

  function health(expiresAtMs: number | undefined, refreshFailures: number): UpstreamHealth {
    const identity = { source: "a file", expiresAtMs, failure: undefined, refreshFailures, clockSkewMs: 0 };
    return { inFlight: 0, queued: 0, models: [], credentials: [], identity };
  }

  function scrape(metrics: IdentityMetrics, ...all: [string, UpstreamHealth][]): unknown[] {
    return metrics.families(all).map((family) => [...family.cells()]);
  }

  test("shows the seconds to the expiry, and counts failures also when the settings change", () => {
    const metrics = new IdentityMetrics(new BoundedNames(10), () => NOW_MS);
    const without = { inFlight: 0, queued: 0, models: [], credentials: [] };
    expect(scrape(metrics, ["a", health(NOW_MS + 90_000, 2)], ["b", health(undefined, 0)], ["c", without])).toEqual([
      [['upstream="a"', 90]],
      [
        ['upstream="a"', 2],
        ['upstream="b"', 0],
      ],
    ]);
    const failures = [3, 3, 1, 2].map((count) => (scrape(metrics, ["a", health(NOW_MS - 1000, count)])[1] as [string, number][])[0]![1]);
    expect(failures).toEqual([3, 3, 4, 5]);
    expect(scrape(metrics, ["a", health(NOW_MS - 1000, 2)])[0]).toEqual([['upstream="a"', -1]]);
  });
});
