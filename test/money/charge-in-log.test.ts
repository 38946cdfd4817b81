import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { Gate } from "./gate.ts";
import { chatBody } from "./post-chat.ts";
import { CANCELS, startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

let upstream: MockUpstream;
let gateway: RunningGateway;
const gate = new Gate();

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-slow": () => new Promise(() => undefined),
    async "up-late"({ body }) {
      await gate.pass();
      return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion());
    },
  });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["slow", "late"]), env: CANCELS });
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

for (const [who, headers] of [
  ["left", {}],
  ["had no more time", { "x-timeout-ms": "1500" }],
] as const) {
  test(`logs the charge of a client that ${who} before a JSON response, as in the ledger`, async () => {
    const { id, key } = await gateway.makeKey();
    const leaving = new AbortController();
    const asked = upstream.requests.length;
    const asking = fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "slow", messages: [{ role: "user", content: "Are you there?" }] }),
      signal: leaving.signal,
    }).catch(() => undefined);
    if (who === "left") {
      await waitFor(() => upstream.requests.length > asked);
      leaving.abort();
    }
    await asking;
    const line = await waitFor(() => gateway.logLines().find((each) => each["key"] === id));
    const receipt = await gateway.platform<{ charged: string }>("GET", `/api/receipts/${String(line["request_id"])}`);
    expect(line["prompt_tokens"]).toBeGreaterThan(0);
    expect(line).toMatchObject({ provenance: "estimated", cost: receipt.charged });
  });
}

for (const stream of [false, true]) {
  test(`logs the charge of a response that was stored for a retry after the timeout (stream: ${stream})`, async () => {
    gate.close();
    const { id, key } = await gateway.makeKey();
    const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": `late-${stream}`,
        "x-timeout-ms": "1500",
      },
      body: chatBody("late", { stream }),
    });
    expect(reply.status).toBe(504);
    await gate.holds(1);
    gate.open();
    const line = await waitFor(() => gateway.logLines().find((each) => each["key"] === id));
    const receipt = await gateway.platform<{ charged: string }>("GET", `/api/receipts/${String(line["request_id"])}`);
    expect(line).toMatchObject({ status: 504, code: "upstream_timeout", provenance: "measured", cost: receipt.charged });
    expect(line["end"]).toBeUndefined();
  });
}
