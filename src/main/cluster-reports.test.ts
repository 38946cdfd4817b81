import { beforeEach, expect, test } from "bun:test";
import { endedRequest } from "../../test/request-log/ended-requests.ts";
import { Refusals } from "../alerts/rules/refusals.ts";
import { DeviationCounts } from "../gateway/routing/health/deviation-counts.ts";
import type { RouteState, UpstreamHealth } from "../models/upstream-health.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { StorageUnavailable } from "../requests/storage-unavailable.ts";
import type { ProcessReportStore, RefusedLimit } from "../stores/process-reports/process-report-store.ts";
import { ClusterReports } from "./cluster-reports.ts";
import type { GatewayUpstreams } from "./gateway-upstreams.ts";

const UPSTREAM: UpstreamSettings = { id: "echo", dialect: "echo" };
const MINUTE = 60_000;

let reports: Map<string, string>;
let added: RefusedLimit[];
let isAway: boolean;
let nowMs: number;

beforeEach(() => {
  reports = new Map();
  added = [];
  isAway = false;
  nowMs = 0;
});

async function checked<T>(value: () => T): Promise<T> {
  if (isAway) throw new StorageUnavailable("unreachable", { cause: undefined });
  return value();
}

/** The store from the point of view of one process. */
function storeOf(id: string): ProcessReportStore {
  return {
    reportUpstreams: (report) => checked(() => void reports.set(id, report)),
    upstreamReports: () => checked(() => new Map([...reports].filter(([each]) => each !== id))),
    addRefusals: (refused) => checked(() => void added.push(...refused)),
    takeRefusals: () => checked(() => added.splice(0)),
    forget: () => checked(() => void reports.delete(id)),
  };
}

class Process {
  state: RouteState = "healthy";
  readonly refusals = new Refusals();
  readonly reports: ClusterReports;

  constructor(id: string, isLeader: boolean) {
    const health = (): UpstreamHealth => ({
      inFlight: 0,
      queued: 0,
      credentials: [],
      models: [
        { upstreamModel: "m", state: this.state, probeDueInMs: 0, inFlight: 0, latencyMs: undefined, recent: { calls: 5, failures: 0 } },
      ],
    });
    this.reports = new ClusterReports({
      store: storeOf(id),
      upstreams: { health, deviations: new DeviationCounts() } as Partial<GatewayUpstreams> as GatewayUpstreams,
      catalog: {
        snapshot: () => new Map(),
        upstreams: () => new Map([[UPSTREAM.id, UPSTREAM]]),
        priceLists: () => new Map(),
        endpoints: () => new Set<never>(),
      },
      isLeader: () => isLeader,
      readsHealth: isLeader,
      nowMs: () => nowMs,
    });
  }

  exchange(): Promise<void> {
    return this.reports.exchange(this.refusals);
  }

  get seen(): RouteState | undefined {
    return this.reports.upstreams.health(UPSTREAM).models[0]?.state;
  }
}

test("the leader gets the rejected requests of all processes, once", async () => {
  const [leader, other] = [new Process("1", true), new Process("2", false)];
  other.refusals.note(endedRequest({ status: 402, notes: { shortfall: { scope: "account", what: "credit", leftNanos: 5n } } }));
  isAway = true;
  await Promise.allSettled([other.exchange()]);
  isAway = false;
  await other.exchange();
  await other.exchange();
  await leader.exchange();
  expect(leader.refusals.take()).toEqual([{ scope: "account", id: "acme", refused: new Map([["credit", 5n]]) }]);
  await leader.exchange();
  expect(leader.refusals.take()).toEqual([]);
});

test("the leader sees a route as ejected while it is in any live process", async () => {
  const [leader, other] = [new Process("1", true), new Process("2", false)];
  other.state = "ejected";
  await other.exchange();
  await leader.exchange();
  expect(leader.seen).toBe("ejected");
  other.state = "healthy";
  await other.exchange();
  await leader.exchange();
  expect(leader.seen).toBe("healthy");
  other.state = "ejected";
  await other.exchange();
  await leader.exchange();
  await other.reports.close();
  await leader.exchange();
  expect(leader.seen).toBe("healthy");
});

test("a route that is due for a probe and is not called is forgotten after a minute", async () => {
  const [leader, other] = [new Process("1", true), new Process("2", false)];
  other.state = "probing";
  const seen: unknown[] = [];
  for (nowMs of [0, MINUTE - 1, MINUTE]) {
    await other.exchange();
    await leader.exchange();
    seen.push(leader.seen);
  }
  expect(seen).toEqual(["probing", "probing", "healthy"]);
});

test("an unchanged report is written again after half a minute", async () => {
  const other = new Process("2", false);
  await other.exchange();
  reports.clear();
  await other.exchange();
  expect(reports.size).toBe(0);
  nowMs = MINUTE / 2;
  await other.exchange();
  expect(reports.size).toBe(1);
});
