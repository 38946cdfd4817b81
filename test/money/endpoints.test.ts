import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import {
  chunk,
  completion,
  configFor,
  events,
  startMockUpstream,
  usageChunk,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import type { Entry, LoggedRequest, Receipt, UsageRow } from "../../platform-client/types.ts";
import { Gate } from "./gate.ts";
import { accountNow, endsIn, ledgerOf, nanosOf, priceOf, setCredit } from "./ledger-of.ts";

/** Money is the same at every endpoint. */

const REQUESTS = 200;
const AFFORDABLE = 10;
const MAX_TOKENS = 100;

const gate = new Gate();
/** The usage that the upstream reports. */
let spends = { prompt: 0, cached: 0, completion: 0, reasoning: 0 };

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
  const { prompt, cached, completion: written, reasoning } = spends;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: written,
    total_tokens: prompt + written,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
  if (body["stream"] !== true) return Response.json(completion({}, { usage }));
  return events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "stop"), usageChunk(usage)]);
}

interface TestedEndpoint {
  readonly path: string;
  readonly body: (stream: boolean) => object;
  /** The statuses of a request for which there is no credit, at the moment or at all. */
  readonly waits: number;
  readonly isSpent: number;
  /** What ends a stream. */
  readonly end: string;
}

const QUESTION = "How much is the fish?";
const MESSAGES = [{ role: "user", content: QUESTION }];

const ENDPOINTS: readonly TestedEndpoint[] = [
  {
    path: "/chat/completions",
    body: (stream) => ({ model: "held", max_tokens: MAX_TOKENS, stream, messages: MESSAGES }),
    waits: 402,
    isSpent: 402,
    end: "[DONE]",
  },
  {
    path: "/messages",
    body: (stream) => ({ model: "held", max_tokens: MAX_TOKENS, stream, messages: MESSAGES }),
    waits: 429,
    isSpent: 402,
    end: "message_stop",
  },
  {
    path: "/responses",
    body: (stream) => ({ model: "held", max_output_tokens: MAX_TOKENS, stream, input: QUESTION }),
    waits: 503,
    isSpent: 429,
    end: "response.completed",
  },
];

interface Received {
  readonly status: number;
  readonly requestId: string;
  readonly text: string;
  readonly cost: string | null;
}

async function post({ path }: TestedEndpoint, body: string): Promise<Received> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body });
  const requestId = reply.headers.get("x-request-id")!;
  return { status: reply.status, requestId, text: await reply.text(), cost: reply.headers.get("x-tollgate-cost") };
}

for (const endpoint of ENDPOINTS) {
  for (const stream of [false, true]) {
    describe(`${endpoint.path}, ${stream ? "streams" : "JSON"}`, () => {
      const body = JSON.stringify(endpoint.body(stream));
      const holdNanos = priceOf(Buffer.byteLength(body), MAX_TOKENS);

      test("of 200 at once with credit for 10, exactly 10 are admitted, and nothing is left", async () => {
        await setCredit(gateway, holdNanos * BigInt(AFFORDABLE));
        spends = { prompt: Buffer.byteLength(body), cached: 0, completion: MAX_TOKENS, reasoning: 0 };
        const received: Received[] = [];
        const sending = Array.from({ length: REQUESTS }, async () => received.push(await post(endpoint, body)));
        await eventually(
          () => received.length + gate.waiting,
          (decided) => decided === REQUESTS,
        );
        expect(gate.waiting).toBe(AFFORDABLE);
        expect(received.map(({ status }) => status)).toEqual(Array.from({ length: REQUESTS - AFFORDABLE }, () => endpoint.waits));
        gate.open();
        await Promise.all(sending);
        expect(received.filter(({ status }) => status === 200)).toHaveLength(AFFORDABLE);
        expect(await accountNow(gateway)).toEqual({ creditNanos: 0n, heldNanos: 0n, availableNanos: 0n });
        expect((await post(endpoint, body)).status).toBe(endpoint.isSpent);
      });
    });
  }
}

test("the charge of a response does not depend on the endpoint", async () => {
  gate.open();
  await setCredit(gateway, 10n ** 12n);
  const usages = fc.sample(
    fc.record({ prompt: fc.integer({ min: 1, max: 60 }), cached: fc.nat(60), completion: fc.nat(100), reasoning: fc.nat(100) }),
    { numRuns: 12, seed: 1 },
  );
  const charges = new Map<string, bigint>();
  for (const { prompt, cached, completion: written, reasoning } of usages) {
    spends = { prompt, cached: Math.min(cached, prompt), completion: Math.max(written, 1), reasoning: Math.min(reasoning, written) };
    const { cached: read, completion: output } = spends;
    // A dollar per million input tokens, two for output, and a tenth for cached input.
    const expected = BigInt((prompt - read) * 1000 + read * 100 + output * 2000);
    for (const endpoint of ENDPOINTS) {
      for (const stream of [false, true]) {
        const { status, requestId, text, cost } = await post(endpoint, JSON.stringify(endpoint.body(stream)));
        expect(status).toBe(200);
        if (stream) expect(text.trimEnd().slice(-2000)).toContain(endpoint.end);
        else expect(nanosOf(cost!)).toBe(expected);
        charges.set(requestId, expected);
      }
    }
  }
  const ends = endsIn(ledgerOf(gateway));
  expect(new Map([...charges.keys()].map((id) => [id, ends.get(id)?.amount_nanos]))).toEqual(charges);
});

test("the endpoint of a request is in the request log, its receipt and the ledger, and usage is reported by it", async () => {
  gate.open();
  await setCredit(gateway, 10n ** 12n);
  const names = ["chat_completions", "messages", "responses"];
  const reported = async (query: string): Promise<ReadonlyMap<string, number>> => {
    const { data } = await gateway.platform<{ data: UsageRow[] }>("GET", `/api/usage?${query}`);
    return new Map(data.map(({ endpoint, model, requests }) => [endpoint ?? model!, requests]));
  };
  const before = await reported("by=endpoint");
  const sent = await Promise.all(ENDPOINTS.map((endpoint) => post(endpoint, JSON.stringify(endpoint.body(false)))));
  for (const [at, name] of names.entries()) {
    const { requestId } = sent[at]!;
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
  for (const { path, body } of ENDPOINTS) {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-dry-run": "1" };
    const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body(true)) });
    expect(await reply.json()).toMatchObject({ status: 200, model: { id: "held", allowed: true } });
    await eventually(
      () => gateway.platform<{ data: LoggedRequest[] }>("GET", "/api/requests?outcome=dry_run&limit=1"),
      ({ data }) => data[0]?.request_id === reply.headers.get("x-request-id"),
    );
  }
  expect(ledgerOf(gateway)).toHaveLength(before);
});
