import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CutHeard } from "./cut-callers.ts";
import { cutBody, planOf, type Truth } from "./cut-plan.ts";
import { accountNow, creditIn, endsIn, ledgerOf, priceOf, type LedgerRow } from "./ledger-of.ts";
import { isLong } from "../support/long.ts";
import { eventually } from "../support/eventually.ts";
import { fairCharge, seedsOf, startCuts, type Cuts, type Order } from "./start-cuts.ts";

const CALLERS = isLong ? 300 : 150;
const LANES = 20;

type Kind = Pick<Order, "manner" | "leaving" | "stream"> & { callers?: number; lanes?: number };

/** All times at which a client can disconnect with no chunk received, or with all of them. Each kind has its own model. */
const KINDS = {
  "before-its-stream": { manner: "late", leaving: "after-asking", stream: true },
  "before-its-json": { manner: "late", leaving: "after-asking", stream: false },
  "while-streams-are-thought-about": { manner: "thinking", leaving: "after-asking", stream: true },
  "while-json-is-thought-about": { manner: "thinking", leaving: "after-asking", stream: false },
  "with-all-but-done": { manner: "undone", leaving: "after-the-finish", stream: true },
  "as-done-comes": { manner: "late", leaving: "after-the-finish", stream: true },
  "while-asking": { manner: "late", leaving: "while-asking", stream: true },
  "kept-alive": { manner: "thinking", leaving: "after-a-comment", stream: true, callers: 100, lanes: 100 },
} as const satisfies Record<string, Kind>;

type Name = keyof typeof KINDS;

let cuts: Cuts;
/** The first keep-alive comment is sent after fifteen seconds, so these clients start before all others. */
let keptAlive: Promise<Outcome>;

beforeAll(async () => {
  cuts = await startCuts([...Object.keys(KINDS), "gone-at-once"]);
  keptAlive = leave("kept-alive");
});

afterAll(() => cuts.stop());

interface Outcome {
  readonly order: Order;
  readonly heard: readonly CutHeard[];
  /** The streams that the upstream has received. */
  readonly truths: ReadonlyMap<string, Truth>;
  /** The last ledger entries of these requests. */
  readonly ends: readonly LedgerRow[];
  readonly end: (requestId: string) => LedgerRow;
}

/** Starts clients, waits until all requests have ended, and collects the results. */
async function leave(name: Name): Promise<Outcome> {
  const { callers = CALLERS, lanes = LANES, ...kind }: Kind = KINDS[name];
  const seeds = seedsOf(name, callers);
  const order: Order = { ...kind, model: name, seeds, counting: "end", lanes };
  const heard = await cuts.run(order);
  const truths = await cuts.truths(seeds);
  const ends = await cuts.endsOf(name);
  return { order, heard, truths, ends, end: (requestId) => ends.find((row) => row.request_id === requestId)! };
}

/** The charge of clients that received nothing: the estimated prompt if the upstream was called, otherwise nothing. */
function expectPromptOrNothing({ order, truths, ends }: Outcome): void {
  const { prompt_tokens, completion_tokens, amount_nanos, provenance } = fairCharge(order.seeds[0]!, 0, order);
  const charged = ends.filter(({ kind }) => kind === "settle");
  for (const row of charged) {
    expect(row).toMatchObject({ reason: "the client disconnected", prompt_tokens, completion_tokens, amount_nanos, provenance });
  }
  // Calls in flight are charged; a few calls that were cancelled before they were sent count as called.
  expect(charged.length).toBeGreaterThanOrEqual(truths.size);
  expect([...truths.values()].filter(({ end }) => end !== "aborted")).toEqual([]);
}

/** Whether the disconnect or the response came first: a token is charged only if the upstream counted it. */
function expectAllOrPart({ truths, ends }: Outcome): void {
  for (const row of ends.filter(({ kind }) => kind === "settle")) {
    expect(row.reason).toBeOneOf(["complete", "the client disconnected"]);
    if (row.reason === "complete") expect(row.provenance).toBe("measured");
    expect(row.amount_nanos).toBe(priceOf(Number(row.prompt_tokens), Number(row.completion_tokens)));
  }
  for (const { end } of truths.values()) expect(end).toBeOneOf(["whole", "aborted"]);
  // Otherwise the delays were wrong: both cases must happen.
  expect(ends.filter(({ reason }) => reason === "complete")).not.toBeEmpty();
  expect(ends.filter(({ reason }) => reason === "the client disconnected")).not.toBeEmpty();
}

for (const name of ["before-its-stream", "before-its-json"] as const) {
  test(`clients that disconnect ${name.replaceAll("-", " ")} has come leave no hold open`, async () => {
    expectAllOrPart(await leave(name));
  });
}

for (const name of ["while-streams-are-thought-about", "while-json-is-thought-about"] as const) {
  test(`clients that disconnect ${name.replaceAll("-", " ")} pay for the prompt, and each call is cancelled at the upstream`, async () => {
    const outcome = await leave(name);
    expectPromptOrNothing(outcome);
    expect(outcome.truths.size).toBeGreaterThan(CALLERS / 10);
  });
}

test("clients that disconnect between the last chunk and [DONE] pay for the complete response", async () => {
  const { order, heard, truths, end } = await leave("with-all-but-done");
  let exact = 0;
  for (const { seed, requestId, events } of heard) {
    expect(events).not.toContain("[DONE]");
    const plan = planOf(seed, order.counting);
    const row = end(requestId);
    expect(row).toMatchObject({ kind: "settle", reason: "the client disconnected" });
    if (row.provenance === "partial") {
      exact++;
      expect(row.amount_nanos).toBe(priceOf(plan.promptTokens, plan.finish.tokens));
    } else {
      // The usage had not arrived yet.
      expect(row).toMatchObject({ ...fairCharge(seed, plan.chunks.length, order) });
    }
    expect(truths.get(seed)?.end).toBe("aborted");
  }
  expect(exact).toBeGreaterThan(CALLERS / 2);
});

test("clients that disconnect as [DONE] arrives are charged exactly, and once", async () => {
  const { order, heard, end } = await leave("as-done-comes");
  for (const { seed, requestId } of heard) {
    const plan = planOf(seed, order.counting);
    expect(end(requestId)).toMatchObject({ kind: "settle", amount_nanos: priceOf(plan.promptTokens, plan.finish.tokens) });
  }
});

test("clients that disconnect with half of their request sent are not charged, and cause no call", async () => {
  const { ends, truths } = await leave("while-asking");
  expect(ends).toEqual([]);
  expect(truths.size).toBe(0);
});

// While the gateway is stopped, requests and disconnects accumulate: it then sees both at once.
test("clients that disconnect during the hold are not charged, and cause no call", async () => {
  const { hostname, port } = new URL(cuts.gateway.baseUrl);
  const { key } = await cuts.gateway.makeKey();
  process.kill(cuts.gateway.pid, "SIGSTOP");
  const leaving = seedsOf("gone-at-once", 50).map(async (seed) => {
    const body = cutBody({ model: "gone-at-once", stream: true, seed_text: seed, manner: "thinking", counting: "end" });
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`;
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on("error", () => socket.destroy()).resume();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    await once(socket, "connect");
    socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    socket.resetAndDestroy();
    await closed;
  });
  await Promise.all(leaving);
  process.kill(cuts.gateway.pid, "SIGCONT");
  await Promise.allSettled(leaving);
  await eventually(
    () => ledgerOf(cuts.gateway).filter(({ model, kind }) => model === "gone-at-once" && kind === "hold").length,
    (held) => held === leaving.length,
  );
  const ends = await cuts.endsOf("gone-at-once");
  expect(ends.map(({ kind, reason }) => ({ kind, reason }))).toEqual(
    leaving.map(() => ({ kind: "release", reason: "the client disconnected" })),
  );
  expect((await cuts.truths(seedsOf("gone-at-once", 50))).size).toBe(0);
});

test("clients that disconnect after a keep-alive comment, without a chunk, pay for the prompt", async () => {
  const outcome = await keptAlive;
  expectPromptOrNothing(outcome);
  for (const { status, requestId } of outcome.heard) {
    expect(status).toBe(200);
    expect(outcome.end(requestId).kind).toBe("settle");
  }
});

test("afterwards no hold is open, and the balance is the credit less the charges", async () => {
  const rows = ledgerOf(cuts.gateway);
  expect(endsIn(rows).size).toBeGreaterThan(CALLERS * 2);
  expect(await accountNow(cuts.gateway)).toMatchObject({ creditNanos: creditIn(rows), heldNanos: 0n });
});
