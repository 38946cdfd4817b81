import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/long.ts";
import type { Model } from "../../models/catalog.ts";
import { GatewayError } from "../../requests/gateway-error.ts";
import { formatDollars } from "../../money/money.ts";
import { makePrice, type Price } from "../../money/price.ts";
import { fitHold } from "./fit-hold.ts";
import { modelWith, models, prices, sizes } from "../../../test/hold-arbitraries.ts";
import type { Headroom } from "../../money/headroom.ts";
import { fullHold, shortened, type HoldSize, type RequestSize } from "./hold.ts";

/** A request, and rooms that are about as large as what it costs: as admission makes them, the caller's own bound last. */
interface Case {
  readonly size: RequestSize;
  readonly model: Model;
  readonly price: Price;
  readonly rooms: readonly Headroom[];
}

const cases: fc.Arbitrary<Case> = fc.tuple(sizes, models, prices).chain(([size, model, price]) =>
  fc
    .tuple(amountsAround(fullHold(size, model, price).amountNanos), fc.array(fc.boolean(), { maxLength: 3 }), fc.boolean())
    .map(([amounts, budgets, hasOwn]) => {
      const rooms = [credit(amounts[0]!, amounts[1]!), ...budgets.map((resets, at) => budget(amounts[2 + at]!, amounts[3 + at]!, resets))];
      return { size, model, price, rooms: hasOwn ? [...rooms, maxCost(amounts[6]!)] : rooms };
    }),
);

function amountsAround(cost: bigint): fc.Arbitrary<bigint[]> {
  const around = fc.oneof(
    fc.integer({ min: -2, max: 150 }).map((percent) => (cost * BigInt(percent)) / 100n),
    fc.bigInt({ min: -3n, max: 3n }).map((more) => cost + more),
    fc.constant(0n),
  );
  return fc.array(around, { minLength: 7, maxLength: 7 });
}

function credit(leftNanos: bigint, held: bigint): Headroom {
  const leftIfIdleNanos = leftNanos + (held < 0n ? 0n : held);
  return roomOf("credit", "the account", leftNanos, leftIfIdleNanos);
}

function budget(leftNanos: bigint, held: bigint, resets: boolean): Headroom {
  const resetsAtMs = resets ? 1_800_000_000_000 : undefined;
  return { ...credit(leftNanos, held), name: "the daily budget of this key", kind: "budget", resetsAtMs };
}

function maxCost(nanos: bigint): Headroom {
  return { ...credit(nanos < 1n ? 1n : nanos, 0n), name: "this request", kind: "max_cost" };
}

function roomOf(kind: Headroom["kind"], name: string, left: bigint, idle = left, resetsAtMs?: number): Headroom {
  return { kind, name, leftNanos: left, leftIfIdleNanos: idle, resetsAtMs };
}

/** The hold, or the refusal. */
function tryFit(...args: Parameters<typeof fitHold>): HoldSize | GatewayError {
  try {
    return fitHold(...args);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

const lowest = (of: readonly Headroom[]): Headroom => of.reduce((low, room) => (room.leftNanos < low.leftNanos ? room : low));

describe("a hold is made to fit", () => {
  test("into every room there is, or the request is free", () => {
    const fits = fc.property(cases, ({ size, model, price, rooms }) => {
      const hold = tryFit(size, model, price, rooms);
      if (hold instanceof GatewayError || hold.amountNanos === 0n) return;
      expect(rooms.every(({ leftNanos }) => hold.amountNanos <= leftNanos)).toBe(true);
      expect(hold.amountNanos).toBe(fullHold({ ...size, wantedOutput: hold.outputTokens }, modelWith({}), price).amountNanos);
    });
    fc.assert(fits, runs(10_000));
  });

  test("and refused only where nothing fits: a length left open is shortened to one token, one asked for only to what the caller pays", () => {
    const seen = { refused: 0, shortened: 0, full: 0 };
    const onlyThen = fc.property(cases, ({ size, model, price, rooms }) => {
      const full = fullHold(size, model, price);
      const own = rooms.find(({ kind }) => kind === "max_cost");
      const others = lowest(rooms.filter((room) => room !== own));
      const bounded = !own || full.amountNanos <= own.leftNanos ? full : shortened(full, size, price, own.leftNanos);
      const isLeftOpen = size.wantedOutput === undefined;
      const best =
        !bounded || bounded.amountNanos <= others.leftNanos || !isLeftOpen ? bounded : shortened(bounded, size, price, others.leftNanos);
      const should = full.amountNanos === 0n || (best !== undefined && best.amountNanos <= others.leftNanos);
      const hold = tryFit(size, model, price, rooms);
      expect(hold instanceof GatewayError).toBe(!should);
      if (hold instanceof GatewayError) return void seen.refused++;
      expect(hold).toEqual(full.amountNanos === 0n ? full : best!);
      if (hold.outputTokens === full.outputTokens) seen.full++;
      else seen.shortened++;
    });
    fc.assert(onlyThen, runs(10_000));
    expect(Object.entries(seen).filter(([, times]) => times < 200)).toEqual([]);
  });
});

describe("a refusal", () => {
  test("names what is left, and a max_tokens that is accepted, and one more is not", () => {
    let offered = 0;
    const holds = fc.property(cases, ({ size, model, price, rooms }) => {
      const refusal = tryFit(size, model, price, rooms);
      if (!(refusal instanceof GatewayError)) return;
      const { message } = refusal;
      expect(refusal.status).toBe(402);
      const own = rooms.find(({ kind }) => kind === "max_cost");
      const tightest = refusal.param === "x-max-cost" ? own! : lowest(rooms.filter((room) => room !== own));
      expect(message).toContain(`$${formatDollars(tightest.leftNanos < 0n ? -tightest.leftNanos : tightest.leftNanos)}`);
      const [, maxTokens] = /max_tokens: (\d+)/.exec(message) ?? [];
      if (maxTokens === undefined) {
        expect(message).toContain("which does not pay for the prompt");
        return expect(tryFit({ ...size, wantedOutput: 1 }, model, price, rooms)).toBeInstanceOf(GatewayError);
      }
      offered++;
      expect(tryFit({ ...size, wantedOutput: Number(maxTokens) }, model, price, rooms)).not.toBeInstanceOf(GatewayError);
      expect(tryFit({ ...size, wantedOutput: Number(maxTokens) + 1 }, model, price, rooms)).toBeInstanceOf(GatewayError);
    });
    fc.assert(holds, runs(20_000));
    expect(offered).toBeGreaterThan(500);
  });

  test("asks to try again exactly where the room would do if nothing else were under way, and else says which money was short", () => {
    const purse = { scope: "account", what: "credit" } as const;
    const seen = new Map<string, number>();
    const inFlight = fc.property(cases, ({ size, model, price, rooms: [account] }) => {
      const refusal = tryFit(size, model, price, [{ ...account!, purse }]);
      if (!(refusal instanceof GatewayError)) return;
      const whenIdle = tryFit(size, model, price, [{ ...account!, leftNanos: account!.leftIfIdleNanos }]);
      expect(refusal.code).toBe(whenIdle instanceof GatewayError ? "insufficient_credits" : "credits_in_flight");
      const isInFlight = refusal.code === "credits_in_flight";
      expect(refusal.retryAfterSeconds).toBe(isInFlight ? 2 : undefined);
      expect(refusal.shortfall).toEqual(isInFlight ? undefined : { ...purse, leftNanos: account!.leftIfIdleNanos });
      seen.set(refusal.code, (seen.get(refusal.code) ?? 0) + 1);
    });
    fc.assert(inFlight, runs(10_000));
    expect([...seen.values()].every((times) => times > 200) && seen.size === 2).toBe(true);
  });

  const flat = { inputPicos: 1_000_000n, cachedInputPicos: 0n, cacheWritePicos: 0n, outputPicos: 2_000_000n, reasoningPicos: 0n };
  const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: flat, tiers: [] });
  const wordsOf = (rooms: Headroom[], isLeftOpen = false): unknown => {
    const refused = tryFit({ inputTokens: 100, choices: 2, wantedOutput: isLeftOpen ? undefined : 1000 }, modelWith({}), price, rooms);
    return refused instanceof GatewayError ? [refused.code, refused.message] : refused;
  };

  test("speaks plainly", () => {
    const account = roomOf("credit", "the account", 10n ** 12n);
    expect(wordsOf([roomOf("credit", "the account", 500_000n)])).toEqual([
      "insufficient_credits",
      "This request may cost up to $0.0041, and the account has $0.0005 of credit left, which would pay for max_tokens: 100.",
    ]);
    expect(wordsOf([roomOf("credit", "the account", -5n)], true)).toEqual([
      "insufficient_credits",
      "This request may cost up to $0.065636, and the account has -$0.000000005 of credit left, which does not pay for the prompt: $0.000104 would, with the shortest answer.",
    ]);
    expect(wordsOf([roomOf("credit", "the account", 500_000n, 5_000_000n)])).toEqual([
      "credits_in_flight",
      "This request may cost up to $0.0041, and the account has $0.0005 left, which would pay for max_tokens: 100; another $0.0045 is held for requests under way. Please try again in 2s.",
    ]);
    expect(wordsOf([account, roomOf("budget", "the daily budget of this key", 500_000n, 500_000n, Date.parse("2027-01-02"))])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and the daily budget of this key has $0.0005 left, which would pay for max_tokens: 100. It resets at 2027-01-02T00:00:00.000Z.",
    ]);
    expect(wordsOf([account, roomOf("budget", "the total budget of this key", 0n)])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and the total budget of this key has $0.00 left, which does not pay for the prompt: $0.000104 would, with the shortest answer. It does not reset; the operator can raise it.",
    ]);
    expect(wordsOf([account, roomOf("max_cost", "this request", 50_000n)])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and its x-max-cost is $0.00005, which does not pay for the prompt: $0.000104 would, with the shortest answer.",
    ]);
  });

  test("is not made where the caller's own x-max-cost keeps the request within what is there", () => {
    const rooms = [roomOf("credit", "the account", 900_000n), roomOf("max_cost", "this request", 500_000n)];
    expect(wordsOf(rooms)).toEqual({ amountNanos: 500_000n, outputTokens: 100, maxTokens: 100, isShortened: true });
  });
});
