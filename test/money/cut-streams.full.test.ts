import { afterAll, beforeAll, expect, test } from "bun:test";
import { isLong } from "../support/long.ts";
import type { CutHeard } from "./cut-callers.ts";
import { planOf, silentAfter, type Truth } from "./cut-plan.ts";
import { accountNow, creditIn, endsIn, ledgerOf, type LedgerRow } from "./ledger-of.ts";
import { COUNTINGS, fairCharge, seedsOf, startCuts, type Cuts, type FairCharge, type Order } from "./start-cuts.ts";

/** The number of streams for each kind of cut and each way of counting. */
const STREAMS = isLong ? 1000 : 250;
const LANES = STREAMS / 4;

let cuts: Cuts;

beforeAll(async () => {
  cuts = await startCuts(COUNTINGS.flatMap((counting) => [`left-${counting}`, `broken-${counting}`]));
});

afterAll(() => cuts.stop());

for (const counting of COUNTINGS) {
  const isExact = counting === "every";

  test(`streams ${isExact ? "with" : "without"} running usage, whose clients disconnect at a random byte, are charged ${isExact ? "exactly" : "by estimate"}`, async () => {
    const seeds = seedsOf(`left ${counting}`, STREAMS);
    const order: Order = {
      model: `left-${counting}`,
      seeds,
      manner: "left",
      counting,
      stream: true,
      leaving: "in-the-last-chunk",
      lanes: LANES,
    };
    const heard = await cuts.run(order);
    expect(heard.map(({ status }) => status)).toEqual(seeds.map(() => 200));
    const truths = await cuts.truths(seeds);
    expect(seeds.filter((seed) => truths.get(seed)?.end !== "aborted")).toEqual([]);

    const ends = byRequest(await cuts.endsOf(order.model));
    for (const { seed, requestId, events } of heard) {
      const { chunks } = truths.get(seed)!;
      expect(chunks).toBe(silentAfter(seed, planOf(seed, counting)));
      const end = ends.get(requestId)!;
      expect({ seed, kind: end.kind, reason: end.reason, ...chargeOf(end) }).toEqual({
        seed,
        kind: "settle",
        reason: "the client disconnected",
        ...fairCharge(seed, chunks, order),
      });
      expectCut(events);
    }
  });

  test(`streams ${isExact ? "with" : "without"} running usage, which the upstream cuts at a random byte, are charged for the received part`, async () => {
    const seeds = seedsOf(`broken ${counting}`, STREAMS);
    const order: Order = {
      model: `broken-${counting}`,
      seeds,
      manner: "broken",
      counting,
      stream: true,
      leaving: "at-the-end",
      lanes: LANES,
    };
    const heard = await cuts.run(order);
    const truths = await cuts.truths(seeds);
    const ends = byRequest(await cuts.endsOf(order.model));
    expect(heard.map(({ seed }) => seed).toSorted()).toEqual(seeds);
    for (const each of heard) expectFairBreak(each, truths.get(each.seed)!, ends.get(each.requestId)!, order);

    // Otherwise the test would show nothing.
    expect(heard.filter(({ status }) => status === 502).length).toBeGreaterThan(STREAMS / 100);
    for (const end of ["reset", "closed", "closed-early"]) {
      expect(seeds.filter((seed) => truths.get(seed)!.end === end).length).toBeGreaterThan(STREAMS / 10);
    }
  });
}

test("after all cuts no hold is open, each request has ended once, and the balance is the credit less the charges", async () => {
  const rows = ledgerOf(cuts.gateway);
  expect(endsIn(rows).size).toBe(4 * STREAMS);
  const { creditNanos, heldNanos } = await accountNow(cuts.gateway);
  expect({ creditNanos, heldNanos }).toEqual({ creditNanos: creditIn(rows), heldNanos: 0n });
});

/** The client pays for the data that it received. After an orderly close, that is all data that was sent. */
function expectFairBreak(heard: CutHeard, truth: Truth, end: LedgerRow, order: Order): void {
  const { seed, status, events } = heard;
  const chunks = status === 200 ? events.length - 1 : 0;
  if (truth.end === "closed")
    expect({ seed, chunks: [truth.chunks, truth.chunksButForTheirEnd] }).toEqual({ seed, chunks: expect.arrayContaining([chunks]) });
  else expect(chunks).toBeLessThanOrEqual(truth.chunksButForTheirEnd);

  if (status === 200) {
    expectCut(events.slice(0, -1));
    expect(JSON.parse(events.at(-1)!)).toMatchObject({ error: { code: "upstream_error", type: "server_error" } });
  } else {
    expect({ seed, status }).toEqual({ seed, status: 502 });
  }
  const fair = fairCharge(seed, chunks, order);
  const isFree = fair.completion_tokens === 0n;
  expect({ seed, kind: end.kind, amount_nanos: end.amount_nanos }).toMatchObject({
    seed,
    kind: isFree ? "release" : "settle",
    amount_nanos: isFree ? 0n : fair.amount_nanos,
  });
  if (!isFree) expect({ seed, ...chargeOf(end) }).toEqual({ seed, ...fair });
}

/** The stream must have no sign of a regular end. */
function expectCut(events: readonly string[]): void {
  for (const event of events) {
    expect(event).not.toBe("[DONE]");
    expect(JSON.parse(event)).toMatchObject({ choices: [{ finish_reason: null }] });
  }
}

function byRequest(rows: readonly LedgerRow[]): Map<string, LedgerRow> {
  return new Map(rows.map((row) => [row.request_id!, row]));
}

function chargeOf(row: LedgerRow): FairCharge {
  return {
    provenance: row.provenance!,
    prompt_tokens: row.prompt_tokens!,
    completion_tokens: row.completion_tokens!,
    amount_nanos: row.amount_nanos,
    uncharged_nanos: row.uncharged_nanos!,
  };
}
