import { afterEach, beforeEach, expect, test } from "bun:test";
import { attempt, charge, endedRequest } from "../../../test/metrics/ended-requests.ts";
import { parseExposition } from "../../../test/metrics/parse-exposition.ts";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import type { EndedRequest, RequestObserver } from "../../requests/request-notes.ts";
import type { Family } from "./exposition.ts";
import { MergedMetrics } from "./merged-metrics.ts";
import { Metrics, type GaugeValues } from "./metrics.ts";
import { MetricsReporter } from "./metrics-reporter.ts";
import type { ProcessState } from "./process-metrics.ts";

const NO_CONNECTIONS = {
  authenticated: 0,
  unauthenticated: 0,
  closed: { full: 0, address_limit: 0, unauthenticated: 0, rejected_upload: 0 },
};

const IDLE: ProcessState = {
  version: "1.2.3",
  commit: "abc",
  openRequests: { gateway: 0, platform: 0 },
  connections: { gateway: NO_CONNECTIONS, platform: NO_CONNECTIONS },
  bodies: {
    heldBytes: 0,
    maxBytes: 100,
    rejected: { no_credit: 0, rate_limit: 0, one_at_a_time: 0, account_share: 0, budget: 0, deadline: 0 },
  },
  mirrors: { counts: { answered: 0, failed: 0 }, drops: { memory: 0, in_flight: 0, ejected: 0, unavailable: 0, stopped: 0 } },
  ledger: { openHolds: 0, heldNanos: 0n, unwrittenEntries: 0, failure: undefined },
  requestLog: {
    queued: 0,
    written: 0,
    drops: { queue_full: 0, without_key: 0, no_disk_room: 0 },
    bodyDrops: { no_memory: 0, hook_failed: 0, no_disk_room: 0 },
    failure: undefined,
  },
  log: { dropped: 0 },
  webhooks: undefined,
  instances: undefined,
  traces: undefined,
  configFile: undefined,
};

/** The metrics of one process, and the state that its gauges show. */
class Process {
  readonly metrics = new Metrics();
  readonly observe: RequestObserver = this.metrics.ofGateway();
  state: ProcessState = IDLE;
  upstreams: GaugeValues["upstreams"] = [];

  get measured(): GaugeValues {
    return { process: this.state, upstreams: this.upstreams, deviations: [] };
  }
}

let owner: Metrics;
let merged: MergedMetrics;
let links: LinkedServices;
let started: Process[];
let alone: Metrics;

beforeEach(() => {
  [owner, alone, started] = [new Metrics(), new Metrics(), []];
  merged = new MergedMetrics((processId) => processId);
  links = new LinkedServices(merged.service);
});
afterEach(() => {
  for (const metrics of [owner, alone, ...started.map(({ metrics: each }) => each)]) metrics.stop();
});

async function startProcess(id: string): Promise<Process> {
  const process = new Process();
  started.push(process);
  const collect = (): Promise<ReturnType<Metrics["families"]>> => Promise.resolve(process.metrics.families(process.measured));
  await links.start(id, (peer) => new MetricsReporter(peer, collect).service);
  return process;
}

/** All values at the owner, by metric and labels. */
async function scrape(state: ProcessState = IDLE): Promise<Record<string, number>> {
  await merged.service.collect();
  return valuesIn(await owner.write({ process: state, upstreams: [], deviations: [] }, merged));
}

function valuesIn(text: string): Record<string, number> {
  const samples = parseExposition(text).flatMap((family) => family.samples);
  return Object.fromEntries(samples.map(({ name, labels, value }) => [[name, ...Object.values(labels)].join(" "), value]));
}

function requests(): EndedRequest[] {
  return Array.from({ length: 40 }, (_, at) =>
    endedRequest(
      { status: at % 3 === 0 ? 502 : 200 },
      {
        model: `m${at % 5}`,
        requestBytes: at,
        attempts: [attempt({ upstream: `u${at % 2}` })],
        charge: at % 3 === 0 ? undefined : charge({ amountNanos: BigInt(at) * 1_000_001n }),
      },
    ),
  );
}

const ofChats = (values: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).filter(([name]) =>
      /^tollgate_(requests_total|errors|http|request_duration|request_bytes|reply|tokens|charged|uncharged|attempts|limit)/.test(name),
    ),
  );

test("counters and histograms of several processes are what one process would have counted", async () => {
  const processes = [await startProcess("1"), await startProcess("2"), await startProcess("3")];
  const observeAlone = alone.ofGateway();
  for (const [at, ended] of requests().entries()) {
    observeAlone(ended);
    processes[at % 3]!.observe(ended);
    if (at % 10 === 0) await merged.service.collect();
  }
  const expected = ofChats(valuesIn(await alone.write({ process: IDLE, upstreams: [], deviations: [] })));
  const values = ofChats(await scrape());
  expect(Object.keys(values).toSorted()).toEqual(Object.keys(expected).toSorted());
  for (const [name, value] of Object.entries(values)) {
    // Durations are floating-point numbers, whose sum depends on their order. Dollars are exact.
    if (name.includes("_seconds_sum")) expect(value).toBeCloseTo(expected[name]!, 9);
    else expect([name, value]).toEqual([name, expected[name]!]);
  }
});

test("every series of a listener exists before its first request", async () => {
  await startProcess("1");
  expect(await scrape()).toMatchObject({ "tollgate_http_requests_total gateway 2xx": 0, tollgate_request_bytes_total: 0 });
});

test("counters stay when a process ends, and its gauges go", async () => {
  const one = await startProcess("1");
  const other = await startProcess("2");
  for (const [process, openHolds] of [
    [one, 3],
    [other, 4],
  ] as const) {
    process.observe(endedRequest());
    process.state = {
      ...IDLE,
      ledger: { ...IDLE.ledger, openHolds, heldNanos: 100_000_000n },
      requestLog: { ...IDLE.requestLog, drops: { ...IDLE.requestLog.drops, queue_full: 5 } },
    };
  }
  const names = {
    holds: "tollgate_holds_open",
    dollars: "tollgate_holds_open_dollars",
    served: "tollgate_http_requests_total gateway 2xx",
    dropped: "tollgate_request_log_dropped_total queue_full",
    memory: "process_resident_memory_bytes 1",
  };
  const read = async (): Promise<unknown> => {
    const values = await scrape({ ...IDLE, ledger: { ...IDLE.ledger, openHolds: 1, heldNanos: 100_000_000n } });
    return Object.values(names).map((name) => values[name]);
  };
  expect(await read()).toEqual([8, 0.3, 2, 10, expect.any(Number)]);
  links.end("1");
  expect(await read()).toEqual([5, 0.2, 2, 10, undefined]);
});

test("a new owner begins at zero, and counts what has ended since the last report to the previous one", async () => {
  const process = await startProcess("1");
  for (let at = 0; at < 5; at++) process.observe(endedRequest());
  await scrape();
  links.loseOwner();
  process.observe(endedRequest());
  merged = new MergedMetrics((processId) => processId);
  await links.replaceOwner(merged.service);
  process.observe(endedRequest());
  expect(await scrape()).toMatchObject({
    "tollgate_http_requests_total gateway 2xx": 2,
    "tollgate_http_requests_total gateway 5xx": 0,
    tollgate_request_bodies_max_bytes: 200,
  });
});

test("what says nothing as a sum is shown for each process, and flags are raised by any of them", async () => {
  const process = await startProcess("1");
  await startProcess("2");
  const health = { state: "ejected", inFlight: 2, upstreamModel: "m" };
  process.state = { ...IDLE, ledger: { ...IDLE.ledger, failure: "disk full" } };
  for (const each of started) {
    each.upstreams = [["u", { inFlight: 2, queued: 1, credentials: [], models: [health] }]] as unknown as GaugeValues["upstreams"];
  }
  const values = await scrape();
  for (const name of ["process_resident_memory_bytes", "process_cpu_seconds_total", "tollgate_event_loop_lag_seconds_count"]) {
    expect(["owner", "1", "2"].map((label) => typeof values[`${name} ${label}`])).toEqual(["number", "number", "number"]);
    expect(values[name]).toBeUndefined();
  }
  expect(values).toMatchObject({
    tollgate_ledger_unwritable: 1,
    tollgate_request_log_unwritable: 0,
    "tollgate_build_info 1.2.3 abc": 1,
    "tollgate_upstream_model_state u m ejected": 1,
    "tollgate_upstream_model_calls_in_flight u m": 4,
    "tollgate_upstream_calls_queued u": 2,
  });
});

test("a metric that the owner does not know is ignored", async () => {
  await links.start("1", (peer) => {
    const unknown: Family = { name: "unknown_total", type: "counter", help: "", samples: () => [], cells: () => [["", 1]] };
    return new MetricsReporter(peer, () => Promise.resolve([unknown])).service;
  });
  expect(Object.keys(await scrape()).filter((name) => name.startsWith("unknown"))).toEqual([]);
});
