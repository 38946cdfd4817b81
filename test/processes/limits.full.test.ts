import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { gatewayPids, startProcesses } from "../support/gateway/gateway-processes.ts";
import { ProcessClient } from "../support/gateway/process-client.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { completion, configFor, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { Gate } from "../money/gate.ts";
import { expectTooMany, type WireLimits } from "../money/limit-replies.ts";
import { chatBody, type Reply } from "../money/post-chat.ts";
import { postFresh, postMany } from "./post-fresh.ts";

const REQUESTS = 200;

const gate = new Gate();
let upstream: MockUpstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-quick": () => Response.json(completion()),
    async "up-held"() {
      await gate.pass();
      return Response.json(completion());
    },
  });
  gateway = await startProcesses({ yaml: configFor(upstream.baseUrl, ["quick", "held"]) });
});

afterAll(async () => {
  gate.open();
  await gateway?.stop();
  await upstream.stop();
});

beforeEach(() => {
  gate.close();
  upstream.requests.length = 0;
});

async function keyWith(limits: WireLimits): Promise<string> {
  return (await gateway.makeKey(["*"], { limits })).key;
}

function admittedOf(replies: readonly Reply[]): number {
  return replies.filter(({ status }) => status === 200).length;
}

for (const limit of [60, 3]) {
  test(`requests per minute: exactly ${limit} of 200 parallel requests are admitted`, async () => {
    const replies = await postMany(gateway, REQUESTS, await keyWith({ requests_per_minute: limit }), chatBody("quick"));
    expect(admittedOf(replies)).toBe(limit);
    for (const reply of replies) if (reply.status !== 200) expectTooMany(reply, `limit of ${limit} requests per minute`);
    expect(upstream.requests).toHaveLength(limit);
  });
}

test("requests per minute: one process alone may use the whole limit, after the others have used some of it", async () => {
  const key = await keyWith({ requests_per_minute: 100 });
  const clients = await ProcessClient.connectToEach(gateway, await gatewayPids(gateway));
  for (const client of clients) expect((await client.post(key, chatBody("quick"))).status).toBe(200);
  for (let sent = clients.length; sent < 100; sent++) {
    const { status } = await clients[0]!.post(key, chatBody("quick"));
    expect({ sent, status }).toEqual({ sent, status: 200 });
  }
  for (const client of clients) expect((await client.post(key, chatBody("quick"))).status).toBe(429);
  for (const client of clients) client.close();
});

test("tokens per minute: parallel requests reserve no more than the limit, and all of it", async () => {
  const body = chatBody("held", { max_tokens: 475 });
  const reserved = Math.ceil(Buffer.byteLength(body) / 4) + 475;
  const key = await keyWith({ tokens_per_minute: reserved * 20 + 1 });
  const { refused, all } = sendCrowd(key, body);
  await eventually(
    () => refused.length + gate.waiting,
    (decided) => decided === REQUESTS,
  );
  expect(gate.waiting).toBe(20);
  gate.open();
  expect(admittedOf(await all)).toBe(20);
  // The response used 7 of these tokens. The rest is available again, for every process.
  const left = reserved * 20 + 1 - 7 * 20;
  const fits = Math.floor(left / reserved);
  for (let sent = 0; sent < fits; sent++) expect((await postFresh(gateway, key, body)).status).toBe(200);
});

test("concurrent requests: exactly as many as the limit are in flight, and others when they have ended", async () => {
  const key = await keyWith({ concurrent_requests: 7 });
  for (let round = 0; round < 3; round++) {
    gate.close();
    const { refused, all } = sendCrowd(key, chatBody("held"));
    await eventually(
      () => refused.length + gate.waiting,
      (decided) => decided === REQUESTS,
    );
    expect({ round, waiting: gate.waiting }).toEqual({ round, waiting: 7 });
    for (const reply of refused) expectTooMany(reply, "limit of 7 concurrent requests");
    gate.open();
    expect(admittedOf(await all)).toBe(7);
  }
});

/** Sends many requests at once, and collects the rejected ones. */
function sendCrowd(key: string, body: string): { refused: Reply[]; all: Promise<Reply[]> } {
  const refused: Reply[] = [];
  const all = Promise.all(
    Array.from({ length: REQUESTS }, async () => {
      const reply = await postFresh(gateway, key, body);
      if (reply.status !== 200) refused.push(reply);
      return reply;
    }),
  );
  return { refused, all };
}
