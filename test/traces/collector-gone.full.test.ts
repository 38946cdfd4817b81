import { expect, test } from "bun:test";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { startCollector, type Collector } from "./collector.ts";

/** Sends many requests at once, so that the queue is full immediately. */
async function askOften(gateway: RunningGateway, key: string, count: number): Promise<number[]> {
  const asking = Array.from({ length: count }, () =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello!" }] }),
    }).then(async (response) => {
      await response.text();
      return response.status;
    }),
  );
  return Promise.all(asking);
}

const linesOf = (gateway: RunningGateway): string[] =>
  gateway.logLines().flatMap(({ event }) => (String(event).startsWith("traces_") ? [String(event)] : []));

async function withGateway(env: Record<string, string>, run: (gateway: RunningGateway, key: string) => Promise<void>): Promise<void> {
  const upstream = startMockUpstream({ "up-chat": () => Response.json(completion()) });
  const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat"]), env: { OTEL_BSP_SCHEDULE_DELAY: "20", ...env } });
  try {
    await run(gateway, (await gateway.makeKey()).key);
  } finally {
    await gateway.stop();
    await upstream.stop();
  }
}

test("with the collector down requests succeed and excess spans are dropped; when it recovers spans arrive without a restart", async () => {
  const first = startCollector();
  const { port } = first;
  await first.stop();
  let again: Collector | undefined;
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, async (gateway, key) => {
    for (let round = 0; round < 15; round++) expect(new Set(await askOften(gateway, key, 100))).toEqual(new Set([200]));
    await waitFor(() => linesOf(gateway).length > 0);
    again = startCollector(undefined, port);
    const up = again;
    await waitFor(() => up.spans().length >= 2048);
    await askOften(gateway, key, 1);
    await waitFor(() => linesOf(gateway).length > 1);
    expect(linesOf(gateway)).toEqual(["traces_unavailable", "traces_recovered"]);
    // Of 3,002 spans at most these are kept: a batch in flight, a full queue, and the last request.
    const lost = Number(gateway.logLines().find(({ event }) => event === "traces_recovered")!["lost_spans"]);
    expect(lost).toBeGreaterThan(0);
    await waitFor(() => up.spans().length + lost === 3002);
    expect(new Set(up.spans().map(({ spanId }) => spanId)).size).toBe(up.spans().length);
  });
  await again?.stop();
}, 300_000);

test("a collector that rejects spans affects no request, and is logged once", async () => {
  let rejected = 0;
  const collector = startCollector(() => {
    rejected++;
    return new Response("no such tenant, Bearer collector-token-canary", { status: 401 });
  });
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-token-canary" };
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...headers }, async (gateway, key) => {
    for (let round = 0; round < 5; round++) {
      expect(await askOften(gateway, key, 1)).toEqual([200]);
      await waitFor(() => rejected > round);
    }
    await waitFor(() => linesOf(gateway).length > 0);
    expect(linesOf(gateway)).toEqual(["traces_unavailable"]);
    expect(gateway.output()).toContain("the collector returned 401");
    expect(gateway.output()).not.toContain("collector-token-canary");
  });
  await collector.stop();
});

test("a collector that never responds delays neither requests nor the shutdown, which exports the rest", async () => {
  const silent = startCollector(() => new Promise<Response>(() => undefined));
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: silent.url }, async (gateway, key) => {
    expect(new Set(await askOften(gateway, key, 20))).toEqual(new Set([200]));
  });
  await silent.stop();
  const collector = startCollector();
  await withGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "60000" }, async (gateway, key) => {
    await askOften(gateway, key, 20);
    expect(collector.spans()).toEqual([]);
    await gateway.end();
    expect(collector.spans().length).toBe(40);
  });
  await collector.stop();
});
