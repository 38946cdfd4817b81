import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CutHeard } from "./cut-callers.ts";
import { cutBody, planOf, type Truth } from "./cut-plan.ts";
import { accountNow, creditIn, endsIn, ledgerOf, priceOf, type LedgerRow } from "./ledger-of.ts";
import { eventually } from "../streams/eventually.ts";
import { fairCharge, seedsOf, startCuts, type Cuts, type Order } from "./start-cuts.ts";

const CALLERS = 300;
const LANES = 20;

type Kind = Pick<Order, "manner" | "leaving" | "stream"> & { callers?: number; lanes?: number };

/** Every moment at which a caller can leave without a single chunk, or with all of them. Each has a model of its own. */
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
/** It takes fifteen seconds until the first comment comes, so these callers are sent out before all others. */
let keptAlive: Promise<Outcome>;

beforeAll(async () => {
  cuts = await startCuts([...Object.keys(KINDS), "gone-at-once"]);
  keptAlive = leave("kept-alive");
});

afterAll(() => cuts.stop());

interface Outcome {
  readonly order: Order;
  readonly heard: readonly CutHeard[];
  /** What the upstream knows of them: nothing of those it never heard of. */
  readonly truths: ReadonlyMap<string, Truth>;
  /** How the ledger says they ended. */
  readonly ends: readonly LedgerRow[];
  readonly end: (requestId: string) => LedgerRow;
}

/** Sends callers out, waits until all of it is over, and gathers what is known. */
async function leave(name: Name): Promise<Outcome> {
  const { callers = CALLERS, lanes = LANES, ...kind }: Kind = KINDS[name];
  const seeds = seedsOf(name, callers);
  const order: Order = { ...kind, model: name, seeds, counting: "end", lanes };
  const heard = await cuts.run(order);
  const truths = await cuts.truths(seeds);
  const ends = await cuts.endsOf(name);
  return { order, heard, truths, ends, end: (requestId) => ends.find((row) => row.request_id === requestId)! };
}

/** What callers who heard nothing can be charged: the prompt, by estimate, if the upstream was asked; else nothing. */
function expectPromptOrNothing({ order, truths, ends }: Outcome): void {
  const { prompt_tokens, completion_tokens, amount_nanos, provenance } = fairCharge(order.seeds[0]!, 0, order);
  const charged = ends.filter(({ kind }) => kind === "settle");
  for (const row of charged) {
    expect(row).toMatchObject({ reason: "the caller left", prompt_tokens, completion_tokens, amount_nanos, provenance });
  }
  // An upstream that was at work is paid for; and some of those that were not asked in the end count as asked.
  expect(charged.length).toBeGreaterThanOrEqual(truths.size);
  expect([...truths.values()].filter(({ end }) => end !== "aborted")).toEqual([]);
}

/** Whatever came first, the caller's leaving or the answer: no token is charged that the upstream did not count. */
function expectAllOrPart({ truths, ends }: Outcome): void {
  for (const row of ends.filter(({ kind }) => kind === "settle")) {
    expect(row.reason).toBeOneOf(["complete", "the caller left"]);
    if (row.reason === "complete") expect(row.provenance).toBe("measured");
    expect(row.amount_nanos).toBe(priceOf(Number(row.prompt_tokens), Number(row.completion_tokens)));
  }
  for (const { end } of truths.values()) expect(end).toBeOneOf(["whole", "aborted"]);
  // Otherwise the delays were not such that both happen.
  expect(ends.filter(({ reason }) => reason === "complete")).not.toBeEmpty();
  expect(ends.filter(({ reason }) => reason === "the caller left")).not.toBeEmpty();
}

for (const name of ["before-its-stream", "before-its-json"] as const) {
  test(`300 callers that leave ${name.replaceAll("-", " ")} has come leave no hold behind`, async () => {
    expectAllOrPart(await leave(name));
  });
}

for (const name of ["while-streams-are-thought-about", "while-json-is-thought-about"] as const) {
  test(`300 callers that leave ${name.replaceAll("-", " ")} pay for the prompt, and each reaches the upstream`, async () => {
    const outcome = await leave(name);
    expectPromptOrNothing(outcome);
    expect(outcome.truths.size).toBeGreaterThan(CALLERS / 10);
  });
}

test("300 callers that leave between the last chunk and [DONE] pay for the whole answer", async () => {
  const { order, heard, truths, end } = await leave("with-all-but-done");
  let exact = 0;
  for (const { seed, requestId, events } of heard) {
    expect(events).not.toContain("[DONE]");
    const plan = planOf(seed, order.counting);
    const row = end(requestId);
    expect(row).toMatchObject({ kind: "settle", reason: "the caller left" });
    if (row.provenance === "partial") {
      exact++;
      expect(row.amount_nanos).toBe(priceOf(plan.promptTokens, plan.finish.tokens));
    } else {
      // The counts were still on their way.
      expect(row).toMatchObject({ ...fairCharge(seed, plan.chunks.length, order) });
    }
    expect(truths.get(seed)?.end).toBe("aborted");
  }
  expect(exact).toBeGreaterThan(CALLERS / 2);
});

test("300 callers that leave as [DONE] comes are charged exactly, and once", async () => {
  const { order, heard, end } = await leave("as-done-comes");
  for (const { seed, requestId } of heard) {
    const plan = planOf(seed, order.counting);
    expect(end(requestId)).toMatchObject({ kind: "settle", amount_nanos: priceOf(plan.promptTokens, plan.finish.tokens) });
  }
});

test("300 callers that leave with half of their request sent cost nothing and are not heard of", async () => {
  const { ends, truths } = await leave("while-asking");
  expect(ends).toEqual([]);
  expect(truths.size).toBe(0);
});

// While the gateway sleeps, requests and the ends of their connections gather: it then sees both at once, whatever the time.
test("callers that leave while their credit is being set aside pay nothing, and the upstream never hears of them", async () => {
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
  expect(ends.map(({ kind, reason }) => ({ kind, reason }))).toEqual(leaving.map(() => ({ kind: "release", reason: "the caller left" })));
  expect((await cuts.truths(seedsOf("gone-at-once", 50))).size).toBe(0);
});

test("callers that were kept alive with a comment and leave without a chunk pay for the prompt", async () => {
  const outcome = await keptAlive;
  expectPromptOrNothing(outcome);
  for (const { status, requestId } of outcome.heard) {
    expect(status).toBe(200);
    expect(outcome.end(requestId).kind).toBe("settle");
  }
});

test("after all of them nothing is held, and the account has what was not charged", async () => {
  const rows = ledgerOf(cuts.gateway);
  expect(endsIn(rows).size).toBeGreaterThan(CALLERS * 2);
  expect(await accountNow(cuts.gateway)).toMatchObject({ creditNanos: creditIn(rows), heldNanos: 0n });
});
