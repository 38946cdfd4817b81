import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectBrokenStream, framesOf, type Chunk } from "../support/upstreams/conformance.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { accountNow, creditIn, endsIn, ledgerOf, openIn, priceOf, type LedgerRow } from "../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import {
  RECORDED_RESPONSES,
  frameJson,
  frameStream,
  type RecordedDialect,
  type RecordedEvent,
  type FramedBody,
  type Framing,
} from "./recorded-responses.ts";
import { isLong } from "../support/long.ts";
import { eventually } from "../support/eventually.ts";
import { spawnListening, type ListeningProcess } from "../support/spawn-listening.ts";

/** The number of concurrent requests. */
const CONCURRENCY = 100;

const DIALECTS = Object.keys(RECORDED_RESPONSES) as RecordedDialect[];
const FRAMINGS: readonly Framing[] = ["announced", "parts", "closing"];

let upstream: ListeningProcess;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = await spawnListening(join(import.meta.dir, "disconnecting-upstream.ts"));
  const names = DIALECTS.flatMap((dialect) => FRAMINGS.map((framing) => ({ dialect, framing, id: `${dialect}-${framing}` })));
  const upstreams = names.map(
    ({ dialect, framing, id }) =>
      `  - { id: ${id}, dialect: ${dialect}, base_url: "http://127.0.0.1:${upstream.port}/${dialect}/${framing}/v1", allow_private: true }`,
  );
  const models = names.map(({ id }) => `  - { id: ${id}, routes: [{ upstream: ${id}, model: m }], price: ${TEST_PRICE} }`);
  gateway = await startGateway({ yaml: `upstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n` });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** A response that ends after this many bytes of its body: by an orderly close, or by a reset. */
interface Disconnect {
  readonly dialect: RecordedDialect;
  readonly framing: Framing;
  readonly stream: boolean;
  readonly at: number;
  readonly manner: "FIN" | "RST";
}

interface DisconnectReply {
  readonly disconnect: Disconnect;
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}

const requestFor = ({ dialect, framing, stream, at, manner }: Disconnect): string =>
  JSON.stringify({
    model: `${dialect}-${framing}`,
    stream,
    max_tokens: 100,
    messages: [{ role: "user", content: `Disconnect at ${at} by ${manner}.` }],
  });

async function sendOne(disconnect: Disconnect): Promise<DisconnectReply> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: requestFor(disconnect) });
  return { disconnect, status: response.status, text: await response.text(), requestId: response.headers.get("x-request-id")! };
}

async function sendAll(disconnects: readonly Disconnect[]): Promise<DisconnectReply[]> {
  const replies: DisconnectReply[] = [];
  const waiting = [...disconnects];
  const worker = async (): Promise<void> => {
    for (let disconnect = waiting.pop(); disconnect; disconnect = waiting.pop()) replies.push(await sendOne(disconnect));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return replies;
}

/** The last ledger entry of each request, after all requests have ended. */
async function endsOf(replies: readonly DisconnectReply[]): Promise<LedgerRow[]> {
  await eventually(
    () => openIn(ledgerOf(gateway)).length,
    (open) => open === 0,
  );
  const ends = endsIn(ledgerOf(gateway));
  return replies.map(({ requestId }) => ends.get(requestId)!);
}

/**
 * The distance in bytes between two cuts. Near the start and the end of a response, every byte is tested. The number is odd, so that closes
 * and resets alternate.
 */
const STEP = isLong ? 1 : 13;
const EDGE = 20;

/** From none of its bytes to all of them. */
function disconnectsOf(dialect: RecordedDialect, framing: Framing, stream: boolean, body: FramedBody): Disconnect[] {
  const { length } = body.bytes;
  const cuts = Array.from({ length: length + 1 }, (_, at) => at).filter((at) => at % STEP === 0 || at < EDGE || at > length - EDGE);
  return cuts.map((at) => {
    // If the close is the only end of the body, it could be mistaken for a regular end.
    const manner = framing === "closing" || at % 2 === 0 ? "FIN" : "RST";
    return { dialect, framing, stream, at, manner };
  });
}

for (const dialect of DIALECTS) {
  for (const framing of ["closing", "parts"] as const) {
    const body = frameStream(RECORDED_RESPONSES[dialect], framing);
    test(`a stream of ${dialect} (${framing}), cut anywhere in its ${body.bytes.length} bytes, never looks complete, and is charged for the received part`, async () => {
      const replies = await sendAll(disconnectsOf(dialect, framing, true, body));
      const ends = await endsOf(replies);
      for (const [at, each] of replies.entries()) explained(each.disconnect, () => expectStreamOutcome(each, ends[at]!, body));
      // Otherwise only early cuts would have been tested.
      expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(replies.length / 10);
    });
  }

  for (const framing of dialect === "openai" ? FRAMINGS : (["announced"] as const)) {
    const body = frameJson(RECORDED_RESPONSES[dialect].json, framing);
    test(`a JSON response of ${dialect} (${framing}), cut anywhere in its ${body.bytes.length} bytes, is an error that costs nothing`, async () => {
      const replies = await sendAll(disconnectsOf(dialect, framing, false, body));
      const ends = await endsOf(replies);
      for (const [at, each] of replies.entries()) explained(each.disconnect, () => expectJsonOutcome(each, ends[at]!, body));
    });
  }
}

test("afterwards no hold is open, and the balance is the credit less the charges", async () => {
  const { creditNanos, heldNanos } = await accountNow(gateway);
  expect({ creditNanos, heldNanos }).toEqual({ creditNanos: creditIn(ledgerOf(gateway)), heldNanos: 0n });
});

/** Adds the cut to the error of a failed assertion. */
function explained(disconnect: Disconnect, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(JSON.stringify(disconnect), { cause: error });
  }
}

/**
 * Whether the end of a body was sent. In chunked framing the size of the last chunk is enough, without the empty line after it. A reset may
 * overtake the data that was sent just before it.
 */
function hasEnd({ framing, at, manner }: Disconnect, { bytes }: FramedBody): boolean | "perhaps" {
  if (at === bytes.length) return manner === "FIN" || "perhaps";
  return framing === "parts" && at >= bytes.length - "\r\n".length && "perhaps";
}

/** The complete JSON response, or an error. */
function expectJsonOutcome({ disconnect, status, text }: DisconnectReply, end: LedgerRow, body: FramedBody): void {
  const isSent = hasEnd(disconnect, body);
  if (isSent === true || (isSent === "perhaps" && status === 200)) {
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: "Grüße, 漢字 🙂" }, finish_reason: "stop" }] });
    expect(chargeIn(end)).toEqual({ kind: "settle", provenance: "measured", prompt: 31n, completion: 17n, amount: priceOf(31, 17) });
  } else {
    expect({ status, error: JSON.parse(text) as unknown }).toMatchObject({ status: 502, error: { error: { code: "upstream_error" } } });
    expect({ kind: end.kind, amount: end.amount_nanos }).toEqual({ kind: "release", amount: 0n });
  }
}

/** The expected result of a stream, derived only from the sent bytes. */
interface ExpectedStream {
  /** The minimum and the maximum number of events that can have arrived. */
  readonly least: number;
  readonly most: number;
  /** Whether the events are complete: certainly, perhaps, or certainly not. */
  readonly isWhole: boolean | "perhaps";
}

function expectedStream(disconnect: Disconnect, body: FramedBody): ExpectedStream {
  const { dialect, framing, at } = disconnect;
  const { places } = body;
  const events = RECORDED_RESPONSES[dialect].stream;
  if (framing === "closing") {
    // A close is an orderly end: all data sent before it arrives, and the last event needs no blank line. Data that is cut is not valid
    // JSON.
    const there = places.filter(({ dataEnd }) => dataEnd <= at).length;
    const isCutInData = places.some(({ dataStart, dataEnd }) => dataStart < at && at < dataEnd);
    return { least: there, most: there, isWhole: events.slice(0, there).some(({ finishes }) => finishes) && !isCutInData };
  }
  // In chunked framing any end of the connection is a failure, and may overtake the data that was sent just before it.
  const there = places.filter(({ end }) => end <= at).length;
  const isEnded = hasEnd(disconnect, body) || (events.slice(0, there).some(({ ends }) => ends) && "perhaps");
  return { least: isEnded === true ? there : 0, most: there, isWhole: isEnded };
}

function expectStreamOutcome({ disconnect, status, text }: DisconnectReply, end: LedgerRow, body: FramedBody): void {
  const expected = expectedStream(disconnect, body);
  const isWhole = status === 200 && framesOf(text).at(-1) === "[DONE]";
  if (expected.isWhole !== "perhaps") expect(isWhole).toBe(expected.isWhole);
  const chunks = chunksIn(status, text, isWhole);

  const events = RECORDED_RESPONSES[disconnect.dialect].stream;
  const output = outputIn(chunks);
  // Some events have no output, so the received text may match several numbers of events.
  const counts = range(expected.least, expected.most).filter((count) => outputOf(events.slice(0, count)) === output);
  expect({ output, counts }).not.toEqual({ output, counts: [] });
  const isFinished = chunks.some(({ choices }) => choices.some(({ finish_reason: reason }) => reason !== null));
  if (isFinished) expect(events.slice(0, expected.most).some(({ finishes }) => finishes)).toBe(true);
  if (isWhole) expect(isFinished).toBe(true);

  const fair = counts.map((count) => fairCharge(events.slice(0, count), requestFor(disconnect), status === 200, isWhole));
  expect(fair).toContainEqual(chargeIn(end));
}

/** The chunks of a complete stream, or of a stream that failed as expected; none if the response was an error. */
function chunksIn(status: number, text: string, isWhole: boolean): Chunk[] {
  if (status === 200)
    return isWhole
      ? framesOf(text)
          .slice(0, -1)
          .map((frame) => JSON.parse(frame) as Chunk)
      : brokenChunks(text);
  expect({ status, error: JSON.parse(text) as unknown }).toMatchObject({ status: 502, error: { error: { code: "upstream_error" } } });
  return [];
}

function brokenChunks(text: string): Chunk[] {
  const { chunks, error } = expectBrokenStream(text);
  expect(error).toMatchObject({ code: "upstream_error", type: "server_error" });
  return chunks;
}

interface Charge {
  readonly kind: string;
  readonly provenance: string | null;
  readonly prompt: bigint | null;
  readonly completion: bigint | null;
  readonly amount: bigint;
}

const NOTHING: Charge = { kind: "release", provenance: null, prompt: null, completion: null, amount: 0n };

/**
 * Computed from the upstream's last usage and a quarter of the bytes after it. For the prompt of a complete response, a quarter of the
 * request's bytes.
 */
function fairCharge(events: readonly RecordedEvent[], request: string, hasBegun: boolean, isWhole: boolean): Charge {
  if (!hasBegun) return NOTHING;
  const last = events.findLastIndex(({ counts }) => counts);
  const [prompt, counted] = events[last]?.counts ?? [isWhole ? Math.ceil(Buffer.byteLength(request) / 4) : 0, 0];
  const bytes = Buffer.byteLength(outputOf(events.slice(last + 1)));
  const completion = counted + Math.ceil(bytes / 4);
  if (completion === 0) return NOTHING;
  const byUpstream = isWhole ? "measured" : "partial";
  return {
    kind: "settle",
    provenance: last >= 0 && bytes === 0 ? byUpstream : "estimated",
    prompt: BigInt(prompt),
    completion: BigInt(completion),
    amount: priceOf(prompt, completion),
  };
}

function chargeIn({ kind, provenance, prompt_tokens: prompt, completion_tokens: completion, amount_nanos: amount }: LedgerRow): Charge {
  return { kind, provenance, prompt, completion, amount };
}

const outputOf = (events: readonly RecordedEvent[]): string => events.map(({ says = "" }) => says).join("");

/** Text, reasoning, names and arguments, in the order of their arrival. */
function outputIn(chunks: readonly Chunk[]): string {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  return deltas.map((delta) => [delta["reasoning_content"], delta["content"], ...callsIn(delta)].join("")).join("");
}

function callsIn(delta: Record<string, unknown>): unknown[] {
  const calls = (delta["tool_calls"] ?? []) as { function: { name?: string; arguments?: string } }[];
  return calls.flatMap(({ function: fn }) => [fn.name, fn.arguments]);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
