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
import { Gate } from "./gate.ts";
import { accountNow, priceOf, setCredit } from "./ledger-of.ts";

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

async function post({ path }: ModelEndpoint, body: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`${gateway.baseUrl}${path}`, { method: "POST", headers, body });
  await reply.text();
  return reply.status;
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
