import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { expectBrokenStream, framesOf, type Chunk } from "../support/upstreams/conformance.ts";
import { TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { accountNow, creditIn, endsIn, ledgerOf, openIn, priceOf, type LedgerRow } from "../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import {
  DYING_ANSWERS,
  frameJson,
  frameStream,
  type DyingDialect,
  type DyingEvent,
  type FramedBody,
  type Framing,
} from "./dying-responses.ts";
import { eventually } from "../support/eventually.ts";
import { spawnListening, type ListeningProcess } from "../support/spawn-listening.ts";

/** How many requests are in flight at a time. */
const LANES = 100;

const DIALECTS = Object.keys(DYING_ANSWERS) as DyingDialect[];
const FRAMINGS: readonly Framing[] = ["announced", "parts", "closing"];

let upstream: ListeningProcess;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  upstream = await spawnListening(join(import.meta.dir, "dying-upstream.ts"));
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

/** A response that ends after so many bytes of its body: by an orderly close, or by a reset. */
interface Death {
  readonly dialect: DyingDialect;
  readonly framing: Framing;
  readonly stream: boolean;
  readonly at: number;
  readonly manner: "FIN" | "RST";
}

interface Heard {
  readonly death: Death;
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
}

const requestFor = ({ dialect, framing, stream, at, manner }: Death): string =>
  JSON.stringify({
    model: `${dialect}-${framing}`,
    stream,
    max_tokens: 100,
    messages: [{ role: "user", content: `Die at ${at} by ${manner}.` }],
  });

async function live(death: Death): Promise<Heard> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, { method: "POST", headers, body: requestFor(death) });
  return { death, status: response.status, text: await response.text(), requestId: response.headers.get("x-request-id")! };
}

async function liveAll(deaths: readonly Death[]): Promise<Heard[]> {
  const heard: Heard[] = [];
  const waiting = [...deaths];
  const lane = async (): Promise<void> => {
    for (let death = waiting.pop(); death; death = waiting.pop()) heard.push(await live(death));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return heard;
}

/** The last ledger entry of each request, once all have ended. */
async function endsOf(heard: readonly Heard[]): Promise<LedgerRow[]> {
  await eventually(
    () => openIn(ledgerOf(gateway)).length,
    (open) => open === 0,
  );
  const ends = endsIn(ledgerOf(gateway));
  return heard.map(({ requestId }) => ends.get(requestId)!);
}

/** At every byte, from none to all of them. */
function deathsOf(dialect: DyingDialect, framing: Framing, stream: boolean, body: FramedBody): Death[] {
  return Array.from({ length: body.bytes.length + 1 }, (_, at) => {
    // Where the close is the only end of the body, a close could be taken for a regular end.
    const manner = framing === "closing" || at % 2 === 0 ? "FIN" : "RST";
    return { dialect, framing, stream, at, manner };
  });
}

for (const dialect of DIALECTS) {
  for (const framing of ["closing", "parts"] as const) {
    const body = frameStream(DYING_ANSWERS[dialect].stream, framing);
    test(`a stream of ${dialect} (${framing}), cut at each of ${body.bytes.length} bytes, never looks complete, and is charged for the received part`, async () => {
      const heard = await liveAll(deathsOf(dialect, framing, true, body));
      const ends = await endsOf(heard);
      for (const [at, each] of heard.entries()) explained(each.death, () => holdStream(each, ends[at]!, body));
      // Otherwise only early cuts would have been tested.
      expect(heard.filter(({ status }) => status === 200).length).toBeGreaterThan(heard.length / 10);
    });
  }

  for (const framing of dialect === "openai" ? FRAMINGS : (["announced"] as const)) {
    const body = frameJson(DYING_ANSWERS[dialect].json, framing);
    test(`a JSON response of ${dialect} (${framing}), cut at each of ${body.bytes.length} bytes, is an error that costs nothing`, async () => {
      const heard = await liveAll(deathsOf(dialect, framing, false, body));
      const ends = await endsOf(heard);
      for (const [at, each] of heard.entries()) explained(each.death, () => holdJson(each, ends[at]!, body));
    });
  }
}

test("afterwards no hold is open, and the balance is the credit less the charges", async () => {
  const { creditNanos, heldNanos } = await accountNow(gateway);
  expect({ creditNanos, heldNanos }).toEqual({ creditNanos: creditIn(ledgerOf(gateway)), heldNanos: 0n });
});

/** An assertion that fails names the cut. */
function explained(death: Death, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new Error(JSON.stringify(death), { cause: error });
  }
}

/**
 * Whether the end of a body was sent. In chunked framing the size of the last chunk is enough, without the empty line after it; and a reset
 * may overtake what was sent just before it.
 */
function hasEnd({ framing, at, manner }: Death, { bytes }: FramedBody): boolean | "perhaps" {
  if (at === bytes.length) return manner === "FIN" || "perhaps";
  return framing === "parts" && at >= bytes.length - "\r\n".length && "perhaps";
}

/** The complete JSON response, or an error. */
function holdJson({ death, status, text }: Heard, end: LedgerRow, body: FramedBody): void {
  const isSent = hasEnd(death, body);
  if (isSent === true || (isSent === "perhaps" && status === 200)) {
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ choices: [{ message: { content: "Grüße, 漢字 🙂" }, finish_reason: "stop" }] });
    expect(chargeIn(end)).toEqual({ kind: "settle", provenance: "measured", prompt: 31n, completion: 17n, amount: priceOf(31, 17) });
  } else {
    expect({ status, error: JSON.parse(text) as unknown }).toMatchObject({ status: 502, error: { error: { code: "upstream_error" } } });
    expect({ kind: end.kind, amount: end.amount_nanos }).toEqual({ kind: "release", amount: 0n });
  }
}

/** The expected result of a stream, derived from the sent bytes alone. */
interface Fate {
  /** The fewest and the most events that can have arrived. */
  readonly least: number;
  readonly most: number;
  /** Whether they are complete: for certain, perhaps, or certainly not. */
  readonly isWhole: boolean | "perhaps";
}

function fateOf(death: Death, body: FramedBody): Fate {
  const { dialect, framing, at } = death;
  const { places } = body;
  const events = DYING_ANSWERS[dialect].stream;
  if (framing === "closing") {
    // A close is an orderly end: all that was sent arrives, and the last event needs no blank line. Data that is cut is no JSON.
    const there = places.filter(({ dataEnd }) => dataEnd <= at).length;
    const isCutInData = places.some(({ dataStart, dataEnd }) => dataStart < at && at < dataEnd);
    return { least: there, most: there, isWhole: events.slice(0, there).some(({ finishes }) => finishes) && !isCutInData };
  }
  // Within chunked framing any end of the connection is a failure, and may overtake what was sent just before it.
  const there = places.filter(({ end }) => end <= at).length;
  const isEnded = hasEnd(death, body) || (events.slice(0, there).some(({ ends }) => ends) && "perhaps");
  return { least: isEnded === true ? there : 0, most: there, isWhole: isEnded };
}

function holdStream({ death, status, text }: Heard, end: LedgerRow, body: FramedBody): void {
  const fate = fateOf(death, body);
  const isWhole = status === 200 && framesOf(text).at(-1) === "[DONE]";
  if (fate.isWhole !== "perhaps") expect(isWhole).toBe(fate.isWhole);
  const chunks = chunksIn(status, text, isWhole);

  const events = DYING_ANSWERS[death.dialect].stream;
  const said = saidIn(chunks);
  // Some events have no output: the received text may be of one event, or of more.
  const counts = range(fate.least, fate.most).filter((count) => saidBy(events.slice(0, count)) === said);
  expect({ said, counts }).not.toEqual({ said, counts: [] });
  const isFinished = chunks.some(({ choices }) => choices.some(({ finish_reason: reason }) => reason !== null));
  if (isFinished) expect(events.slice(0, fate.most).some(({ finishes }) => finishes)).toBe(true);
  if (isWhole) expect(isFinished).toBe(true);

  const fair = counts.map((count) => fairCharge(events.slice(0, count), requestFor(death), status === 200, isWhole));
  expect(fair).toContainEqual(chargeIn(end));
}

/** The chunks of a complete stream, or of one that failed as expected; none where the response was an error. */
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

/** By the upstream's last usage and a quarter of the bytes after it; for the prompt of a complete response, a quarter of the request's bytes. */
function fairCharge(events: readonly DyingEvent[], request: string, hasBegun: boolean, isWhole: boolean): Charge {
  if (!hasBegun) return NOTHING;
  const last = events.findLastIndex(({ counts }) => counts);
  const [prompt, counted] = events[last]?.counts ?? [isWhole ? Math.ceil(Buffer.byteLength(request) / 4) : 0, 0];
  const bytes = Buffer.byteLength(saidBy(events.slice(last + 1)));
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

const saidBy = (events: readonly DyingEvent[]): string => events.map(({ says = "" }) => says).join("");

/** Text, reasoning, names and arguments, in the order of their arrival. */
function saidIn(chunks: readonly Chunk[]): string {
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  return deltas.map((delta) => [delta["reasoning_content"], delta["content"], ...callsIn(delta)].join("")).join("");
}

function callsIn(delta: Record<string, unknown>): unknown[] {
  const calls = (delta["tool_calls"] ?? []) as { function: { name?: string; arguments?: string } }[];
  return calls.flatMap(({ function: fn }) => [fn.name, fn.arguments]);
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
