import { afterAll, beforeAll, expect, test } from "bun:test";
import { gatewayPids, startProcesses } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { chatBody } from "../money/post-chat.ts";
import { routesConfig } from "../routes/routed-gateway.ts";
import { postMany } from "./post-fresh.ts";

const MAX_CALLS = 3;

let dead: MockUpstream;
let healthy: MockUpstream;
let narrow: MockUpstream;
let gateway: RunningGateway;
let key: string;
/** Concurrent calls of the narrow upstream. */
let parallel = 0;
let mostParallel = 0;

beforeAll(async () => {
  dead = startMockUpstream({ m: () => Response.json({ error: { message: "out of order" } }, { status: 500 }) });
  healthy = startMockUpstream({ m: () => Response.json(completion()) });
  narrow = startMockUpstream({ m: answerSlowly });
  const upstreams = [
    { id: "dead", port: portOf(dead) },
    { id: "healthy", port: portOf(healthy) },
    { id: "narrow", port: portOf(narrow), concurrency: { max_calls: MAX_CALLS, max_queued: 1000, max_wait_ms: 120_000 } },
  ];
  const models = [
    {
      id: "failing-over",
      routes: [
        { upstream: "dead", model: "m", priority: 1 },
        { upstream: "healthy", model: "m", priority: 2 },
      ],
    },
    { id: "narrow", routes: [{ upstream: "narrow", model: "m" }] },
  ];
  gateway = await startProcesses({ yaml: routesConfig(upstreams, models) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway?.stop();
  for (const upstream of [dead, healthy, narrow]) await upstream.stop();
});

function portOf({ baseUrl }: MockUpstream): number {
  return Number(new URL(baseUrl).port);
}

async function answerSlowly(): Promise<Response> {
  mostParallel = Math.max(mostParallel, ++parallel);
  await Bun.sleep(5);
  parallel--;
  return Response.json(completion());
}

test("an upstream that one process has ejected is not called by the others", async () => {
  const [first, ...others] = await ProcessClient.connectToEach(gateway, await gatewayPids(gateway));
  const body = chatBody("failing-over");
  for (let sent = 0; sent < 20; sent++) expect((await first!.post(key, body)).status).toBe(200);
  const discovered = dead.requests.length;
  expect(discovered).toBeWithin(5, 8);
  for (const other of others) {
    for (let sent = 0; sent < 20; sent++) expect((await other.post(key, body)).status).toBe(200);
  }
  // A process that must discover the failure by itself calls the upstream five times. On a slow machine the first probe, after 5 s, and the
  // next may also happen.
  expect(dead.requests.length - discovered).toBeLessThan(4);
  for (const client of [first!, ...others]) client.close();
});

test("max_calls holds for all processes together, and every queued request is served", async () => {
  const replies = await postMany(gateway, 150, key, chatBody("narrow"));
  expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
  expect(mostParallel).toBe(MAX_CALLS);
});

test("max_calls: slots that one process has used serve the others", async () => {
  const clients = await ProcessClient.connectToEach(gateway, await gatewayPids(gateway));
  for (const client of [...clients, ...clients]) {
    for (let sent = 0; sent < 5; sent++) expect((await client.post(key, chatBody("narrow"))).status).toBe(200);
  }
  expect(mostParallel).toBe(MAX_CALLS);
  for (const client of clients) client.close();
});
