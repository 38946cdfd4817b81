import * as fc from "fast-check";
import type { Stores } from "../../src/stores/stores.ts";
import { RESPONSE_CACHE } from "../../src/money/ledger-entry.ts";
import type { Usage } from "../../src/money/usage.ts";
import { hold, settlement } from "../support/money/ledger-samples.ts";

/** A generated past request. */
export interface Past {
  readonly key: string;
  readonly account: string;
  readonly model: string;
  readonly atMs: number;
  readonly endMs: number;
  readonly held: bigint;
  readonly outcome: "settled" | "kept" | "released" | "open";
  readonly charged: bigint;
  readonly usage: Usage;
  /** Whether the request was charged at the current price. */
  readonly isAtPresentPrice: boolean;
}

/** An event: a request was admitted, or ended. Events are in ledger order. */
export interface Happening {
  readonly what: "begin" | "end";
  readonly past: Past;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const KEYS = ["a1", "a2", "b1"] as const;
export const MODELS = ["gpt-large", "gpt-small", "other"] as const;

const usages: fc.Arbitrary<Usage> = fc
  .record({ fresh: fc.nat(400), cached: fc.nat(100), written: fc.nat(100), plain: fc.nat(300), reasoning: fc.nat(100) })
  .map(({ fresh, cached, written, plain, reasoning }) => ({
    promptTokens: fresh + cached + written,
    cachedTokens: cached,
    cacheWriteTokens: written,
    completionTokens: plain + reasoning,
    reasoningTokens: reasoning,
  }));

/** Gaps between requests: bursts within a minute, with hours between the bursts. */
const gaps = fc.oneof(
  { weight: 6, arbitrary: fc.nat(15_000) },
  { weight: 2, arbitrary: fc.nat(90_000) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 18 * HOUR_MS }) },
);
const durations = fc.oneof({ weight: 4, arbitrary: fc.nat(20_000) }, { weight: 1, arbitrary: fc.nat(HOUR_MS) });

const draws = fc.record({
  gapMs: gaps,
  durationMs: durations,
  key: fc.constantFrom(...KEYS),
  model: fc.constantFrom(...MODELS),
  held: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 3_000_000_000n })),
  chargedPercent: fc.bigInt({ min: 0n, max: 100n }),
  outcome: fc.constantFrom<Past["outcome"][]>("settled", "settled", "settled", "kept", "released", "open"),
  usage: usages,
  isAtPresentPrice: fc.boolean(),
});

/** The start of the last seven days: anywhere, or close to one of the requests. */
const starts = fc.oneof(
  fc.record({ restMs: fc.nat(8 * DAY_MS) }),
  fc.record({ near: fc.double({ min: 0, max: 0.999, noNaN: true }), offMs: fc.integer({ min: -HOUR_MS, max: HOUR_MS }) }),
);

/** Past requests over some days. */
export function pasts(nowMs: number): fc.Arbitrary<Past[]> {
  return fc.tuple(fc.array(draws, { minLength: 1, maxLength: 80, size: "max" }), starts).map(([drawn, start]) => {
    const after = (count: number): number => drawn.slice(0, count).reduce((sum, { gapMs }) => sum + gapMs, 0);
    const latest = nowMs - after(drawn.length);
    const near =
      "near" in start ? nowMs - 7 * DAY_MS + start.offMs - after(1 + Math.floor(start.near * drawn.length)) : latest - start.restMs;
    let atMs = Math.min(near, latest);
    return drawn.map(({ gapMs, durationMs, key, chargedPercent, ...rest }) => {
      atMs += gapMs;
      const isCharged = rest.outcome === "settled" || rest.outcome === "kept";
      const charged = isCharged ? (rest.held * chargedPercent) / 100n : 0n;
      const endMs = Math.min(atMs + durationMs, nowMs);
      return { ...rest, key, account: key.charAt(0), atMs, endMs, charged };
    });
  });
}

/** All events in order. A request that arrives at the time of an end comes after it. */
export function happenings(past: readonly Past[]): Happening[] {
  const all = past.flatMap((each): Happening[] => {
    const begin: Happening = { what: "begin", past: each };
    return each.outcome === "open" ? [begin] : [begin, { what: "end", past: each }];
  });
  const timeOf = ({ what, past: { atMs, endMs } }: Happening): number => (what === "begin" ? atMs : endMs);
  return all.toSorted((a, b) => timeOf(a) - timeOf(b));
}

/** Writes requests into the ledger, as the gateway would do. */
export async function record(
  order: readonly Happening[],
  { ledger }: Stores,
  keyIds: Readonly<Record<string, string>>,
  presentPriceOf: (model: string) => string,
): Promise<void> {
  const ids = new Map<Past, string>();
  const written: Promise<unknown>[] = [];
  for (const { what, past } of order) {
    const { account, model, atMs, endMs, held, charged, usage, outcome, isAtPresentPrice } = past;
    if (what === "begin") {
      const id = `r${ids.size}`;
      ids.set(past, id);
      const priceVersion = isAtPresentPrice ? presentPriceOf(model) : "an older one";
      written.push(ledger.hold(hold(id, held, { accountId: account, keyId: keyIds[past.key]!, model, priceVersion, atMs })));
    } else if (outcome === "released") {
      ledger.release(ids.get(past)!, "upstream_error", endMs);
    } else {
      const upstream = outcome === "kept" ? RESPONSE_CACHE : "u";
      written.push(ledger.settle(ids.get(past)!, settlement(charged, { atMs: endMs, usage, upstream })));
    }
  }
  await Promise.all(written);
}
