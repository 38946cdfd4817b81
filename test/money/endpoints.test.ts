import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chunk,
  completion,
  configFor,
  events,
  startMockUpstream,
  usageChunk,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import type { Entry, LoggedRequest, Receipt, UsageRow } from "../../platform-client/types.ts";
import { Gate } from "./gate.ts";
import { accountNow, ledgerOf, priceOf, setCredit } from "./ledger-of.ts";

/** No endpoint overspends. `endpoints.full.test.ts` has the same for several processes and for PostgreSQL. */

const REQUESTS = 200;
const AFFORDABLE = 10;
const MAX_TOKENS = 100;

const gate = new Gate();
/** The usage that the upstream reports. */
let spends = { prompt: 0, completion: 0 };

const upstream = startMockUpstream({ "up-held": answer });
const gateway = await startGateway({ yaml: `endpoints: [messages, responses]\n${configFor(upstream.baseUrl, ["held"])}` });
const { key } = await gateway.makeKey();

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});

beforeEach(() => gate.close());

async function answer({ body }: RecordedRequest): Promise<Response> {
  await gate.pass();
  const { prompt, completion: written } = spends;
  const usage = { prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written };
  if (body["stream"] !== true) return Response.json(completion({}, { usage }));
  return events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "stop"), usageChunk(usage)]);
}

async function send({ path }: ModelEndpoint, body: string): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body });
  await reply.text();
  return reply;
}

async function post(endpoint: ModelEndpoint, body: string): Promise<number> {
  return (await send(endpoint, body)).status;
}

for (const endpoint of ENDPOINTS) {
  for (const stream of [false, true]) {
    describe(`${endpoint.path}, ${stream ? "streams" : "JSON"}`, () => {
      const body = JSON.stringify(endpoint.bodyFor({ model: "held", maxTokens: MAX_TOKENS, stream }));
      const holdNanos = priceOf(Buffer.byteLength(body), MAX_TOKENS);

      test("of 200 at once with credit for 10, exactly 10 are admitted, and nothing is left", async () => {
        await setCredit(gateway, holdNanos * BigInt(AFFORDABLE));
        spends = { prompt: Buffer.byteLength(body), completion: MAX_TOKENS };
        const received: number[] = [];
        const sending = Array.from({ length: REQUESTS }, async () => received.push(await post(endpoint, body)));
        await eventually(
          () => received.length + gate.waiting,
          (decided) => decided === REQUESTS,
        );
        expect(gate.waiting).toBe(AFFORDABLE);
        expect(received).toEqual(Array.from({ length: REQUESTS - AFFORDABLE }, () => endpoint.creditInFlight));
        gate.open();
        await Promise.all(sending);
        expect(received.filter((status) => status === 200)).toHaveLength(AFFORDABLE);
        expect(await accountNow(gateway)).toEqual({ creditNanos: 0n, heldNanos: 0n, availableNanos: 0n });
        expect(await post(endpoint, body)).toBe(endpoint.creditSpent);
      });
    });
  }
}
test("the endpoint of a request is in the request log, its receipt and the ledger, and usage is reported by it", async () => {
  gate.open();
  await setCredit(gateway, 10n ** 12n);
  const names = ["chat_completions", "messages", "responses"];
  const reported = async (query: string): Promise<ReadonlyMap<string, number>> => {
    const { data } = await gateway.platform<{ data: UsageRow[] }>("GET", `/api/usage?${query}`);
    return new Map(data.map(({ endpoint, model, requests }) => [endpoint ?? model!, requests]));
  };
  const before = await reported("by=endpoint");
  const bodies = ENDPOINTS.map((endpoint) => JSON.stringify(endpoint.bodyFor({ model: "held", maxTokens: MAX_TOKENS })));
  const sent = await Promise.all(ENDPOINTS.map((endpoint, at) => send(endpoint, bodies[at]!)));
  for (const [at, name] of names.entries()) {
    const requestId = sent[at]!.headers.get("x-request-id")!;
    const { data } = await eventually(
      () => gateway.platform<{ data: LoggedRequest[] }>("GET", `/api/requests?endpoint=${name}&limit=1`),
      (page) => page.data[0]?.request_id === requestId,
    );
    expect(data[0]).toMatchObject({ endpoint: name, user: null, tags: {}, conversation: null });
    expect(await gateway.platform<Receipt>("GET", `/api/receipts/${requestId}`)).toMatchObject({ endpoint: name });
    const entries = await gateway.platform<{ data: Entry[] }>("GET", "/api/accounts/default/entries?limit=20");
    expect(entries.data.find(({ request_id: id }) => id === requestId)).toMatchObject({ endpoint: name });
    const usage = await reported(`by=model&endpoint=${name}`);
    expect(usage).toEqual(new Map([["held", before.get(name)! + 1]]));
  }
  expect(await reported("by=endpoint&account=default")).toEqual(new Map(names.map((name) => [name, before.get(name)! + 1])));
});

test("a request with a wrong key is in the request log with its endpoint", async () => {
  const headers = { authorization: "Bearer sk-service-nobody" };
  const reply = await fetch(`${gateway.baseUrl}/messages`, { method: "POST", headers, body: "{}" });
  expect(reply.status).toBe(401);
  await eventually(
    () => gateway.platform<{ data: LoggedRequest[] }>("GET", "/api/requests?endpoint=messages&status=401"),
    ({ data }) => data.some(({ request_id: id }) => id === reply.headers.get("x-request-id")),
  );
});

test("usage by endpoint is not combined with other names", async () => {
  const wrong = gateway.platform("GET", "/api/usage?by=endpoint&tag=team:search");
  expect(await wrong.catch(String)).toContain("a report is by one of end user, conversation, endpoint and tag");
});

test("a dry run at each endpoint reports what would happen, at no charge, and is logged", async () => {
  await setCredit(gateway, 10n ** 12n);
  const before = ledgerOf(gateway).length;
  for (const { path, bodyFor } of ENDPOINTS) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-dry-run": "1" };
    const reply = await fetch(`${gateway.baseUrl}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(bodyFor({ model: "held", maxTokens: MAX_TOKENS, stream: true })),
    });
    expect(await reply.json()).toMatchObject({ status: 200, model: { id: "held", allowed: true } });
    await eventually(
      () => gateway.platform<{ data: LoggedRequest[] }>("GET", "/api/requests?outcome=dry_run&limit=1"),
      ({ data }) => data[0]?.request_id === reply.headers.get("x-request-id"),
    );
  }
  expect(ledgerOf(gateway)).toHaveLength(before);
});
