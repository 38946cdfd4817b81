/** Prints the cost of counting a request, and of a scrape. */
import { BodyBudget } from "../src/http/body-budget.ts";
import { OpenConnections } from "../src/lib/http1/server/open-connections.ts";
import { Metrics, type GaugeValues } from "../src/telemetry/metrics/metrics.ts";
import type { EndedRequest } from "../src/requests/request-notes.ts";
import { attempt, charge, endedRequest } from "../test/metrics/ended-requests.ts";

const REQUESTS = 1_000_000;
const ROUNDS = 5;

const NO_CONNECTIONS = new OpenConnections(1).counts;
const NOTHING: GaugeValues = {
  process: {
    version: "bench",
    commit: null,
    openRequests: { gateway: 0, platform: 0 },
    connections: { gateway: NO_CONNECTIONS, platform: NO_CONNECTIONS },
    bodies: new BodyBudget(1),
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
  },
  upstreams: [],
  deviations: [],
};

/** Two thirds are streams; one in ten has a second attempt, and one in twenty is rejected by a rate limit. */
function traffic(models: number): EndedRequest[] {
  return Array.from({ length: 1_000 }, (_, at) => {
    const model = `provider/model-${at % models}`;
    if (at % 20 === 0) {
      const limit = { scope: "key", what: "tokens" } as const;
      return endedRequest({ status: 429 }, { model, code: "rate_limit_exceeded", limit, charge: undefined, attempts: [] });
    }
    const attempts = at % 10 === 1 ? [attempt({ outcome: "busy" }), attempt()] : [attempt()];
    return endedRequest({ endedAt: 1_200 + at }, { model, isStream: at % 3 > 0, attempts, charge: charge({ amountNanos: BigInt(at) }) });
  });
}

for (const models of [50, 1_000]) {
  const metrics = new Metrics();
  const observe = metrics.ofGateway();
  const requests = traffic(models);
  const each: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < REQUESTS; at++) observe(requests[at % requests.length]!);
    const { user, system } = process.cpuUsage(before);
    each.push((user + system) / REQUESTS);
  }
  await metrics.write(NOTHING);
  const before = process.cpuUsage();
  const text = await metrics.write(NOTHING);
  const { user, system } = process.cpuUsage(before);
  const lines = text.split("\n").length.toLocaleString("en-US");
  const counting = `${Math.min(...each).toFixed(2)} µs of CPU a request`;
  const scraping = `${((user + system) / 1000).toFixed(1)} ms of CPU a scrape of ${lines} lines, ${(text.length / 1e6).toFixed(1)} MB`;
  process.stdout.write(`${models} models: ${counting}; ${scraping}\n`);
  metrics.stop();
}
