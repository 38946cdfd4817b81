/** Tests usage that no request can explain: the cost bound is charged, a deviation is counted, and an alert is raised. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AlertPage } from "../../platform-client/types.ts";
import { chunk, IMAGE_MESSAGE, startMockUpstream, configFor, usageChunk, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { endsIn, ledgerOf, priceOf, type LedgerRow } from "./ledger-of.ts";
import { chatBody, chunksIn, postChat } from "./post-chat.ts";

const MAX_TOKENS = 200;
const ABSURD = 99_999_999;
/** The documented margins: docs/money.md. */
const ADDED_INPUT = 16_384;
const HIDDEN_OUTPUT = 131_072;

let upstream: MockUpstream;
let gateway: RunningGateway;
let key: string;
/** The usage that the upstream reports. */
let counts = { prompt_tokens: 0, completion_tokens: 0 };

function withTotal(): typeof counts & { total_tokens: number } {
  return { ...counts, total_tokens: counts.prompt_tokens + counts.completion_tokens };
}

beforeAll(async () => {
  upstream = startMockUpstream({
    "up-json": () =>
      Response.json({
        id: "c1",
        object: "chat.completion",
        created: 1_700_000_000,
        model: "up-json",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi!" }, finish_reason: "stop" }],
        usage: withTotal(),
      }),
    "up-stream": () =>
      new Response(
        [chunk({ role: "assistant", content: "Hi!" }), chunk({}, "stop"), usageChunk(withTotal()), "[DONE]"]
          .map((event) => `data: ${event}\n\n`)
          .join(""),
        { headers: { "content-type": "text/event-stream" } },
      ),
  });
  gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["json", "stream"]) });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

interface BilledResponse {
  readonly body: string;
  /** The token counts in the response. */
  readonly usage: unknown;
  readonly row: LedgerRow;
}

async function billed(model: "json" | "stream", claimed: typeof counts, more: object = {}): Promise<BilledResponse> {
  counts = claimed;
  const options = model === "stream" ? { stream: true, stream_options: { include_usage: true } } : {};
  const body = chatBody(model, { max_tokens: MAX_TOKENS, ...options, ...more });
  const reply = await postChat(gateway, key, body);
  expect(reply.status).toBe(200);
  const last = model === "stream" ? chunksIn(reply.text).at(-1)! : (JSON.parse(reply.text) as Record<string, unknown>);
  return { body, usage: last["usage"], row: endsIn(ledgerOf(gateway)).get(reply.requestId)! };
}

for (const model of ["json", "stream"] as const) {
  test(`${model}: a completion that max_tokens does not explain costs max_tokens`, async () => {
    const { row, usage } = await billed(model, { prompt_tokens: 20, completion_tokens: ABSURD });
    expect(row).toMatchObject({ prompt_tokens: 20n, completion_tokens: BigInt(MAX_TOKENS), amount_nanos: priceOf(20, MAX_TOKENS) });
    expect(row.provenance).toBe("estimated");
    expect(usage).toMatchObject({ prompt_tokens: 20, completion_tokens: MAX_TOKENS, total_tokens: 20 + MAX_TOKENS });
  });

  test(`${model}: a prompt that its bytes do not explain costs its bytes`, async () => {
    const { body, row } = await billed(model, { prompt_tokens: ABSURD, completion_tokens: 2 });
    expect(row).toMatchObject({ prompt_tokens: BigInt(body.length), completion_tokens: 2n, amount_nanos: priceOf(body.length, 2) });
  });
}

test("each choice may have max_tokens", async () => {
  const { row } = await billed("json", { prompt_tokens: 20, completion_tokens: ABSURD }, { n: 3 });
  expect(row.completion_tokens).toBe(BigInt(3 * MAX_TOKENS));
});

test("counts within the margins are charged: hidden reasoning, and what a provider adds to a prompt", async () => {
  const most = { prompt_tokens: ADDED_INPUT, completion_tokens: MAX_TOKENS + HIDDEN_OUTPUT };
  const { row } = await billed("json", most);
  expect(row).toMatchObject({ prompt_tokens: BigInt(most.prompt_tokens), completion_tokens: BigInt(most.completion_tokens) });
  expect(row.provenance).toBe("measured");
  const { row: above } = await billed("json", { ...most, completion_tokens: most.completion_tokens + 1 });
  expect(above.completion_tokens).toBe(BigInt(MAX_TOKENS));
});

test("a prompt with media may fill a context window", async () => {
  const { row } = await billed("json", { prompt_tokens: 1_000_000, completion_tokens: 2 }, { messages: [IMAGE_MESSAGE] });
  expect(row.prompt_tokens).toBe(1_000_000n);
});

test("is counted as a format deviation, and raises an alert", async () => {
  const response = await fetch(`${gateway.platformUrl}/metrics`, { headers: { authorization: `Bearer ${gateway.operatorToken}` } });
  expect(await response.text()).toMatch(/^tollgate_deviations_total\{.*deviation="usage_implausible".*\} [1-9]/m);
  const raised = async (): Promise<AlertPage> => gateway.platform("GET", "/api/alerts");
  const { data } = await eventually(raised, (list) => list.data.some(({ type }) => type === "upstream.usage_implausible"));
  expect(data.find(({ type }) => type === "upstream.usage_implausible")!.data).toMatchObject({
    upstream: "mock",
    models: ["json", "stream"],
  });
});
