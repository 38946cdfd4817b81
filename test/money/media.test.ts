import { afterAll, expect, test } from "bun:test";
import { dataUrl, padded, png } from "../support/upstreams/image-headers.ts";
import {
  chunk,
  completion,
  manualStream,
  rawEvents,
  events,
  startMockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { fund } from "../support/upstreams/money-upstream.ts";
import { CANCELS, startGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { ledgerOf, nanosOf, type LedgerRow } from "./ledger-of.ts";
import { chunksIn, postChat } from "./post-chat.ts";

/** Tests a screenshot in a prompt, from its hold to its receipt. Input costs 5 dollars per million tokens, output 10. */

const upstream = startMockUpstream({ "gpt-4o": answer });
const gateway = await startGateway({
  env: CANCELS,
  yaml: `upstreams:
  - { id: mock, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
models:
  - id: seeing
    routes: [{ upstream: mock, model: gpt-4o }]
    price: { input_per_million: 5, output_per_million: 10 }
`,
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** An upstream that never reports usage. A user named `waiting` receives one chunk and no end. */
function answer({ body }: RecordedRequest): Response {
  const hello = chunk({ role: "assistant", content: "A cat." });
  if (body["user"] === "waiting") {
    const manual = manualStream();
    manual.write(`data: ${hello}\n\n`);
    return rawEvents(manual.stream);
  }
  return body["stream"] === true
    ? events([hello, chunk({}, "stop")])
    : Response.json(completion({ content: "A cat." }, { usage: undefined }));
}

const SCREENSHOT = dataUrl(padded(png(1024, 768), 1024 * 1024));
const MAX_TOKENS = 100;

/** The tokens of a screenshot: 85, and 170 for each of four tiles. */
const IMAGE_TOKENS = 765;

function bodyOf(more: object = {}): string {
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: SCREENSHOT } },
  ];
  return JSON.stringify({ model: "seeing", messages: [{ role: "user", content }], max_tokens: MAX_TOKENS, ...more });
}

const textBytesOf = (body: string): number => body.length - SCREENSHOT.length;
const holdOf = (body: string): bigint => BigInt(textBytesOf(body) + IMAGE_TOKENS) * 5_000n + BigInt(MAX_TOKENS) * 10_000n;
const estimateOf = (body: string): bigint => BigInt(Math.ceil(textBytesOf(body) / 4) + IMAGE_TOKENS);
const derivationOf = (body: string): string => `${textBytesOf(body)} bytes of text, 1 image by dimensions: ${IMAGE_TOKENS} tokens`;

function endOf(requestId: string): LedgerRow | undefined {
  return ledgerOf(gateway).find((row) => row.request_id === requestId && row.kind !== "hold");
}

interface Explanation {
  readonly status: number;
  readonly hold: string;
  readonly prompt_derivation: string;
}

test("a dry run reports the hold, and its derivation", async () => {
  const { key } = await fund(gateway, "dry", "0.05");
  const body = bodyOf();
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "x-dry-run": "1" },
    body,
  });
  const { status, hold, prompt_derivation: derivation } = (await reply.json()) as Explanation;
  expect([status, nanosOf(hold), derivation]).toEqual([200, holdOf(body), derivationOf(body)]);
});

test("an account with a cent of credit is served, and the receipt has the derivation of the prompt estimate", async () => {
  const { key } = await fund(gateway, "cent", "0.01");
  const body = bodyOf();
  const reply = await postChat(gateway, key, body);
  expect(reply.status).toBe(200);
  expect(JSON.parse(reply.text)).toMatchObject({ usage: { prompt_tokens: Number(estimateOf(body)), completion_tokens: 2 } });
  expect(reply.headers.get("x-tollgate-prompt-derivation")).toBe(derivationOf(body));
  const receipt = await gateway.platform<Record<string, unknown>>("GET", `/api/receipts/${reply.requestId}`);
  expect(receipt).toMatchObject({ provenance: "estimated", hold_reason: `a request of ${derivationOf(body)}` });
  expect(nanosOf(receipt["held"] as string)).toBe(holdOf(body));
});

test("a stream has the same in its last chunk", async () => {
  const { key } = await fund(gateway, "stream", "0.01");
  const body = bodyOf({ stream: true, stream_options: { include_usage: true } });
  const reply = await postChat(gateway, key, body);
  expect(chunksIn(reply.text).at(-1)).toMatchObject({
    usage: { prompt_tokens: Number(estimateOf(body)) },
    receipt: { provenance: "estimated", prompt_derivation: derivationOf(body) },
  });
});

test("a client that disconnects pays for the image by its dimensions", async () => {
  const { key } = await fund(gateway, "leaving", "0.01");
  const body = bodyOf({ stream: true, user: "waiting" });
  const leaving = new AbortController();
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body,
    signal: leaving.signal,
  });
  await response.body!.getReader().read();
  leaving.abort();
  const requestId = response.headers.get("x-request-id")!;
  const end = await eventually(
    () => endOf(requestId),
    (row) => row !== undefined,
  );
  expect(end).toMatchObject({
    reason: "the client disconnected",
    provenance: "estimated",
    prompt_tokens: estimateOf(body),
    completion_tokens: 2n,
  });
});

test("a limit on tokens per minute counts the image by its dimensions", async () => {
  const { key } = await gateway.makeKey(["*"], { limits: { tokens_per_minute: 2000 } });
  const reply = await postChat(gateway, key, bodyOf());
  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-ratelimit-remaining-tokens")).toBe(String(2000 - Number(estimateOf(bodyOf())) - 2));
});
