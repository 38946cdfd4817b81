import { afterAll, describe, expect, test } from "bun:test";
import { chunk, completion, events, startMockUpstream, usageChunk, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { endsIn, ledgerOf, nanosOf, type LedgerRow } from "./ledger-of.ts";
import { chatBody, chunksIn, postChat, type Reply } from "./post-chat.ts";

/** The responses of the upstream, as chunks or a completion, by a name in the request. */
const answers = new Map<string, { chunks: readonly string[]; whole: object }>();

const upstream = startMockUpstream({ "up-model": answer, "up-fine": answer });
const gateway = await startGateway({
  yaml: `upstreams:
  - { id: mock, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true }
models:
  - id: model
    routes: [{ upstream: mock, model: up-model }]
    price: { input_per_million: 1, cached_input_per_million: 0.1, cache_write_per_million: 1.25, output_per_million: 2, reasoning_per_million: 4 }
  - id: fine
    routes: [{ upstream: mock, model: up-fine }]
    price: { input_per_million: 0.0375, output_per_million: 0.15 }
`,
});
const { key } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function answer({ body }: RecordedRequest): Response {
  const { chunks, whole } = answers.get(String(body["answer_name"]))!;
  return body["stream"] === true ? events(chunks) : Response.json(whole);
}

const ROLE = chunk({ role: "assistant", content: "" });
const TEXT = "Hello world";
const FINISH = chunk({}, "stop");

/** The expected usage, and the expected cost in nano-dollars, computed by hand. */
interface ExpectedUsage {
  readonly prompt: number;
  readonly completion: number;
  /** The number of completion tokens that were reasoning. */
  readonly reasoning?: number;
  readonly nanos: bigint;
  readonly provenance?: "measured" | "estimated";
  readonly model?: string;
}

/** The response as JSON, as a stream with usage, and as a stream without. */
function asked(name: string, stream: boolean, includeUsage: boolean, model: string): string {
  return chatBody(model, { answer_name: name, stream, ...(includeUsage && { stream_options: { include_usage: true } }) });
}

interface Wire {
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  readonly receipt: { request_id: string; cost: string; provenance: string };
}

function expectCounts({ usage }: Pick<Wire, "usage">, { prompt, completion: written }: ExpectedUsage): void {
  expect(usage).toMatchObject({ prompt_tokens: prompt, completion_tokens: written, total_tokens: prompt + written });
}

function expectCharge(reply: Reply, { prompt, completion: written, reasoning = 0, nanos, provenance = "measured" }: ExpectedUsage): void {
  const row: LedgerRow = endsIn(ledgerOf(gateway)).get(reply.requestId)!;
  expect(row).toMatchObject({
    kind: "settle",
    reason: "complete",
    provenance,
    amount_nanos: nanos,
    uncharged_nanos: 0n,
    prompt_tokens: BigInt(prompt),
    completion_tokens: BigInt(written),
    reasoning_tokens: BigInt(reasoning),
  });
}

async function expectJson(name: string, expected: ExpectedUsage): Promise<void> {
  const reply = await postChat(gateway, key, asked(name, false, false, expected.model ?? "model"));
  expectCounts(JSON.parse(reply.text) as Wire, expected);
  expect(nanosOf(reply.headers.get("x-tollgate-cost")!)).toBe(expected.nanos);
  expect(reply.headers.get("x-tollgate-provenance")).toBe(expected.provenance ?? "measured");
  expectCharge(reply, expected);
}

async function expectStream(name: string, expected: ExpectedUsage): Promise<void> {
  const { provenance = "measured", model = "model" } = expected;
  const reply = await postChat(gateway, key, asked(name, true, true, model));
  expect(reply.text).toEndWith("data: [DONE]\n\n");
  const chunks = chunksIn(reply.text);
  const last = chunks.pop() as unknown as Wire & { choices: unknown[] };
  expect(last.choices).toEqual([]);
  expectCounts(last, expected);
  expect(last.receipt).toMatchObject({ request_id: reply.requestId, provenance });
  expect(nanosOf(last.receipt.cost)).toBe(expected.nanos);
  for (const each of chunks) expect(each["usage"] ?? null).toBeNull();
  expectCharge(reply, expected);
}

async function expectSilentStream(name: string, expected: ExpectedUsage): Promise<void> {
  const reply = await postChat(gateway, key, asked(name, true, false, expected.model ?? "model"));
  for (const each of chunksIn(reply.text)) expect(each["usage"] ?? null).toBeNull();
  expectCharge(reply, expected);
}

/** Usage in the forms that upstreams send. One dollar per million tokens is 1,000 nano-dollars per token. */
const REPORTED: { readonly name: string; readonly usage: object; readonly expected: ExpectedUsage }[] = [
  {
    name: "counts that add up",
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    expected: { prompt: 10, completion: 5, nanos: 10_000n + 10_000n },
  },
  {
    name: "thinking that is in the total alone, as Gemini counts it",
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 35 },
    expected: { prompt: 10, completion: 25, reasoning: 20, nanos: 10_000n + 10_000n + 80_000n },
  },
  {
    name: "a total that is too small",
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 3 },
    expected: { prompt: 10, completion: 5, nanos: 20_000n },
  },
  {
    name: "no total",
    usage: { prompt_tokens: 10, completion_tokens: 5 },
    expected: { prompt: 10, completion: 5, nanos: 20_000n },
  },
  {
    name: "cached tokens where OpenAI has them",
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_tokens_details: { cached_tokens: 40 } },
    expected: { prompt: 100, completion: 5, nanos: 60_000n + 4_000n + 10_000n },
  },
  {
    name: "cached tokens where DeepSeek has them",
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 60 },
    expected: { prompt: 100, completion: 5, nanos: 60_000n + 4_000n + 10_000n },
  },
  {
    name: "cached tokens where Moonshot has them",
    usage: { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, cached_tokens: 40 },
    expected: { prompt: 100, completion: 5, nanos: 60_000n + 4_000n + 10_000n },
  },
  {
    name: "more cached tokens than the prompt has",
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 40 } },
    expected: { prompt: 10, completion: 5, nanos: 1_000n + 10_000n },
  },
  {
    name: "tokens put into the cache",
    usage: {
      prompt_tokens: 100,
      completion_tokens: 5,
      total_tokens: 105,
      prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 50 },
    },
    expected: { prompt: 100, completion: 5, nanos: 10_000n + 4_000n + 62_500n + 10_000n },
  },
  {
    name: "reasoning as a part of the completion",
    usage: { prompt_tokens: 10, completion_tokens: 25, total_tokens: 35, completion_tokens_details: { reasoning_tokens: 20 } },
    expected: { prompt: 10, completion: 25, reasoning: 20, nanos: 10_000n + 10_000n + 80_000n },
  },
  {
    name: "more reasoning than completion",
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 50 } },
    expected: { prompt: 10, completion: 5, reasoning: 5, nanos: 10_000n + 20_000n },
  },
  {
    name: "an explicit zero",
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    expected: { prompt: 0, completion: 0, nanos: 0n },
  },
  {
    // 3 × 37.5 + 1 × 150 = 262.5 nano-dollars, rounded up once.
    name: "counts that come to a fraction of a nano-dollar",
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
    expected: { prompt: 3, completion: 1, nanos: 263n, model: "fine" },
  },
];

for (const { name, usage, expected } of REPORTED) {
  describe(name, () => {
    answers.set(name, { whole: completion({}, { usage }), chunks: [ROLE, chunk({ content: TEXT }), FINISH, usageChunk(usage)] });

    test("is reported and charged in JSON", () => expectJson(name, expected));

    test("is reported in the last chunk of a stream and charged", () => expectStream(name, expected));

    test("is charged for a stream without usage", () => expectSilentStream(name, expected));
  });
}

test("thinking tokens that are only in the total are reported as reasoning", async () => {
  const reply = await postChat(gateway, key, asked(REPORTED[1]!.name, false, false, "model"));
  expect(JSON.parse(reply.text)).toMatchObject({ usage: { completion_tokens_details: { reasoning_tokens: 20 } } });
});

/** An estimate: a quarter of the bytes of the request, and of all output of the model. */
function estimate(body: string, saidBytes: number): ExpectedUsage {
  const [prompt, written] = [Math.ceil(Buffer.byteLength(body) / 4), Math.ceil(saidBytes / 4)];
  return { prompt, completion: written, nanos: BigInt(prompt * 1000 + written * 2000), provenance: "estimated" };
}

const NOT_COUNTS: Record<string, object> = {
  "no usage": { usage: undefined },
  "usage that is null": { usage: null },
  "usage without counts": { usage: { total_tokens: 15 } },
  "counts as text": { usage: { prompt_tokens: "10", completion_tokens: "5", total_tokens: "15" } },
  "a negative count": { usage: { prompt_tokens: 10, completion_tokens: -5, total_tokens: 5 } },
  "a fraction of a token": { usage: { prompt_tokens: 10.5, completion_tokens: 5, total_tokens: 15.5 } },
};

for (const [name, more] of Object.entries(NOT_COUNTS)) {
  test(`${name} in a response is estimated, with that provenance`, async () => {
    answers.set(name, { whole: completion({ content: TEXT }, more), chunks: [ROLE, chunk({ content: TEXT }), chunk({}, "stop", more)] });
    await expectJson(name, estimate(asked(name, false, false, "model"), TEXT.length));
    await expectStream(name, estimate(asked(name, true, true, "model"), TEXT.length));
    await expectSilentStream(name, estimate(asked(name, true, false, "model"), TEXT.length));
  });
}

test("an estimate includes a function_call, the format before tools", async () => {
  const said = { content: null, function_call: { name: "weather", arguments: '{"in":"Bonn"}' } };
  answers.set("call", { whole: completion(said, { usage: undefined }), chunks: [chunk(said), chunk({}, "function_call")] });
  await expectJson("call", estimate(asked("call", false, false, "model"), 20));
  await expectStream("call", estimate(asked("call", true, true, "model"), 20));
});

test("an estimate includes all output: reasoning, tool calls, and every byte of a character", async () => {
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"in":"Köln"}' } };
  const said = { content: "漢字🙂", reasoning_content: "Let me think.", tool_calls: [call] };
  const delta = { role: "assistant", ...said, tool_calls: [{ index: 0, ...call }] };
  answers.set("all", { whole: completion(said, { usage: undefined }), chunks: [chunk(delta), chunk({}, "tool_calls")] });
  const bytes = 10 + "Let me think.".length + "weather".length + 14;
  await expectJson("all", estimate(asked("all", false, false, "model"), bytes));
  await expectStream("all", estimate(asked("all", true, true, "model"), bytes));
});

const usageOf = (tokens: number): object => ({ usage: { prompt_tokens: 10, completion_tokens: tokens, total_tokens: 10 + tokens } });
const TEN_AND_FIVE: ExpectedUsage = { prompt: 10, completion: 5, nanos: 20_000n };

/** Positions in a stream at which upstreams send usage. */
const PLACES: { readonly name: string; readonly chunks: readonly string[]; readonly expected: ExpectedUsage }[] = [
  {
    name: "counts on every chunk, the last of them with the finish reason",
    chunks: [
      chunk({ role: "assistant", content: "" }, null, usageOf(0)),
      chunk({ content: TEXT }, null, usageOf(3)),
      chunk({}, "stop", usageOf(5)),
    ],
    expected: TEN_AND_FIVE,
  },
  {
    name: "counts on every chunk and again in one of their own",
    chunks: [chunk({ content: TEXT }, null, usageOf(3)), FINISH, usageChunk({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 })],
    expected: TEN_AND_FIVE,
  },
  {
    name: "counts in the chunk with the last text",
    chunks: [ROLE, chunk({ content: TEXT }, "stop", usageOf(5))],
    expected: TEN_AND_FIVE,
  },
  {
    name: "counts before an end that says nothing",
    chunks: [ROLE, chunk({ content: TEXT }, null, usageOf(5)), FINISH],
    expected: TEN_AND_FIVE,
  },
  {
    // Nine bytes after the usage: three more tokens.
    name: "counts with more text behind them, which is estimated",
    chunks: [ROLE, chunk({ content: TEXT }, null, usageOf(5)), chunk({ content: "and so on" }), FINISH],
    expected: { prompt: 10, completion: 8, nanos: 26_000n, provenance: "estimated" },
  },
];

for (const { name, chunks, expected } of PLACES) {
  test(`a stream may have ${name}`, async () => {
    answers.set(name, { whole: {}, chunks });
    await expectStream(name, expected);
    await expectSilentStream(name, expected);
  });
}

const SENTENCE = "It was a bright cold day in April, and the clocks were striking thirteen.";
const ofChoice = (index: number, delta: object, finishReason: string | null = null): string =>
  JSON.stringify({ ...(JSON.parse(chunk({})) as object), choices: [{ index, delta, finish_reason: finishReason }] });
const FOURTEEN = { prompt_tokens: 10, completion_tokens: 14, total_tokens: 24 };

test("several choices, each or only the first counted by the upstream, are charged and reported completely", async () => {
  const choices = [0, 1, 2].map((index) => ({ index, message: { role: "assistant", content: SENTENCE }, finish_reason: "stop" }));
  const said = [0, 1, 2].map((index) => ofChoice(index, { role: "assistant", content: SENTENCE }));
  const ended = [0, 1, 2].flatMap((index) => [ofChoice(index, {}, "stop"), usageChunk(FOURTEEN)]);
  answers.set("choices", { whole: completion({}, { choices, usage: FOURTEEN }), chunks: [...said, ...ended] });
  await expectJson("choices", { prompt: 10, completion: 55, nanos: 10_000n + 110_000n, provenance: "estimated" });
  await expectStream("choices", { prompt: 10, completion: 42, nanos: 10_000n + 84_000n });
  await expectSilentStream("choices", { prompt: 10, completion: 42, nanos: 10_000n + 84_000n });
});
