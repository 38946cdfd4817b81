import * as fc from "fast-check";
import { describe, expect, test } from "bun:test";
import { modelWith, models, prices, tokenBounds } from "../../../test/support/money/hold-arbitraries.ts";
import { runs } from "../../../test/support/long.ts";
import { chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Model } from "../../models/catalog.ts";
import type { ModelRequest } from "../formats/caller-format.ts";
import { maxTokensOfChat } from "../formats/chat-format.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Headroom } from "../../money/headroom.ts";
import { formatDollars } from "../../money/money.ts";
import { costOf, makePrice, type Price } from "../../money/price.ts";
import {
  affordableMaxTokens,
  fitHold,
  fullHold,
  promptEstimateOf,
  shortened,
  tokenBoundOf,
  type HoldSize,
  type TokenBound,
  type PromptSize,
} from "./cost-bound.ts";

const chatWith = (body: Record<string, unknown>, content: unknown = "hi"): ModelRequest =>
  chatOf({ messages: [{ role: "user", content }], ...body });

const wanted = (body: Record<string, unknown>): number | undefined => maxTokensOfChat(chatWith(body));

const promptOf = (textBytes: number, mediaTokens = 0): PromptSize => ({ textBytes, mediaTokens, derivation: undefined });

describe("the bound of a request", () => {
  test("is its bytes, or the context window of the model", () => {
    expect(tokenBoundOf(chatWith({}), promptOf(1000), modelWith({}), 1)).toEqual({
      inputTokens: 1000,
      choices: 1,
      requestedOutput: undefined,
      leastOutput: 1,
      isShortenable: true,
      feeNanos: 0n,
      limitName: "max_tokens",
    });
    expect(tokenBoundOf(chatWith({ n: 3 }), promptOf(1000), modelWith({ contextWindow: 400 }), 1)).toMatchObject({
      inputTokens: 400,
      choices: 3,
    });
    expect(tokenBoundOf(chatWith({ n: null }), promptOf(1000), modelWith({ contextWindow: 4000 }), 1)).toMatchObject({
      inputTokens: 1000,
      choices: 1,
    });
  });

  test("has a token for each byte of text and the estimate of media, within the context window", () => {
    const prompt = promptOf(1000, 765);
    expect(tokenBoundOf(chatWith({}), prompt, modelWith({}), 1).inputTokens).toBe(1765);
    expect(promptEstimateOf(prompt, modelWith({}))).toBe(250 + 765);
    for (const count of [
      tokenBoundOf(chatWith({}), prompt, modelWith({ contextWindow: 800 }), 1).inputTokens,
      promptEstimateOf(prompt, modelWith({ contextWindow: 800 })),
    ])
      expect(count).toBe(800);
  });

  test("has the higher of max_tokens and max_completion_tokens, because upstreams know one or the other", () => {
    expect(wanted({ max_tokens: 7 })).toBe(7);
    expect(wanted({ max_completion_tokens: 7, max_tokens: null })).toBe(7);
    expect(wanted({ max_completion_tokens: 1, max_tokens: 1_000_000 })).toBe(1_000_000);
    expect(wanted({ max_completion_tokens: 9, max_tokens: 2 })).toBe(9);
    expect(wanted({ max_tokens: null })).toBeUndefined();
  });
});

describe("a full hold", () => {
  test("covers every response within its limit, whatever kinds its tokens are", () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const enough = fc.property(tokenBounds, models, prices, fc.tuple(part, part, part, part, part), (bound, model, price, parts) => {
      const { amountNanos, maxOutputTokens } = fullHold(bound, model, price);
      const promptTokens = Math.floor(bound.inputTokens * parts[0]);
      const completionTokens = Math.floor(maxOutputTokens * bound.choices * parts[1]);
      const cachedTokens = Math.floor(promptTokens * parts[2]);
      const cacheWriteTokens = Math.floor((promptTokens - cachedTokens) * parts[3]);
      const reasoningTokens = Math.floor(completionTokens * parts[4]);
      expect(costOf({ promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens }, price) <= amountNanos).toBe(true);
    });
    fc.assert(enough, runs(1500, 100_000));
  });

  test("uses the lower of the client's and the model's maximum, and sends it upstream unless it is the client's own", () => {
    const bounded = fc.property(tokenBounds, models, prices, (bound, model, price) => {
      const { amountNanos, maxOutputTokens, maxTokens } = fullHold(bound, model, price);
      const declared = model.maxOutputTokens;
      expect(maxOutputTokens).toBe(Math.min(bound.requestedOutput ?? declared ?? 16_384, declared ?? Number.POSITIVE_INFINITY));
      const isOwn = maxOutputTokens === bound.requestedOutput;
      expect(maxTokens).toBe(amountNanos === 0n || declared === undefined || isOwn ? undefined : maxOutputTokens);
    });
    fc.assert(bounded, runs(1000, 40_000));
  });
});

describe("a shortened hold", () => {
  const headrooms = fc.oneof(fc.bigInt({ min: -10n, max: 10_000n }), fc.bigInt({ min: 0n, max: 10n ** 12n }));

  test("never exceeds the headroom, has the highest output that does not, and sends it upstream", () => {
    const longest = fc.property(tokenBounds, models, prices, headrooms, (bound, model, price, headroom) => {
      const full = fullHold(bound, model, price);
      const shorter = shortened(full, bound, price, headroom);
      const costAt = (requestedOutput: number): bigint => fullHold({ ...bound, requestedOutput }, modelWith({}), price).amountNanos;
      if (!shorter) return expect(costAt(1) > headroom).toBe(true);
      expect(shorter.amountNanos <= headroom && shorter.maxOutputTokens >= 1).toBe(true);
      expect(shorter.amountNanos).toBe(costAt(shorter.maxOutputTokens));
      if (shorter.maxOutputTokens === full.maxOutputTokens) return expect(shorter).toBe(full);
      expect(shorter.maxTokens).toBe(shorter.maxOutputTokens);
      expect(costAt(shorter.maxOutputTokens + 1) > headroom).toBe(true);
    });
    fc.assert(longest, runs(1500, 100_000));
  });

  test("the highest max_tokens that an amount pays for is paid for in every choice, and one more is not", () => {
    const highest = fc.property(tokenBounds, prices, headrooms, (bound, price, headroom) => {
      const maxTokens = affordableMaxTokens(headroom, bound, price);
      const costAt = (requestedOutput: number): bigint => fullHold({ ...bound, requestedOutput }, modelWith({}), price).amountNanos;
      if (Number.isFinite(maxTokens)) expect(costAt(maxTokens + 1) > headroom).toBe(true);
      if (maxTokens >= bound.leastOutput) expect(costAt(Math.min(maxTokens, 1e9)) <= headroom).toBe(true);
    });
    fc.assert(highest, runs(1500, 100_000));
  });
});

/** A request, and headrooms close to its cost, in the order of admission: x-max-cost last. */
interface Case {
  readonly bound: TokenBound;
  readonly model: Model;
  readonly price: Price;
  readonly headrooms: readonly Headroom[];
}

const cases: fc.Arbitrary<Case> = fc.tuple(tokenBounds, models, prices).chain(([bound, model, price]) =>
  fc
    .tuple(amountsAround(fullHold(bound, model, price).amountNanos), fc.array(fc.boolean(), { maxLength: 3 }), fc.boolean())
    .map(([amounts, budgets, hasOwn]) => {
      const headrooms = [
        credit(amounts[0]!, amounts[1]!),
        ...budgets.map((resets, at) => budget(amounts[2 + at]!, amounts[3 + at]!, resets)),
      ];
      return { bound, model, price, headrooms: hasOwn ? [...headrooms, maxCost(amounts[6]!)] : headrooms };
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
  return headroomOf("credit", "the account", leftNanos, leftIfIdleNanos);
}

function budget(leftNanos: bigint, held: bigint, resets: boolean): Headroom {
  const resetsAtMs = resets ? 1_800_000_000_000 : undefined;
  return { ...credit(leftNanos, held), name: "the daily spend cap of this key", kind: "budget", resetsAtMs };
}

function maxCost(nanos: bigint): Headroom {
  return { ...credit(nanos < 1n ? 1n : nanos, 0n), name: "this request", kind: "max_cost" };
}

function headroomOf(kind: Headroom["kind"], name: string, left: bigint, idle = left, resetsAtMs?: number): Headroom {
  return { kind, name, leftNanos: left, leftIfIdleNanos: idle, resetsAtMs };
}

/** The hold, or the error. */
function tryFit(...args: Parameters<typeof fitHold>): HoldSize | ApiError {
  try {
    return fitHold(...args);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const lowest = (of: readonly Headroom[]): Headroom => of.reduce((low, headroom) => (headroom.leftNanos < low.leftNanos ? headroom : low));

describe("a hold is made to fit", () => {
  test("into every headroom, or the request is free", () => {
    const fits = fc.property(cases, ({ bound, model, price, headrooms }) => {
      const hold = tryFit(bound, model, price, headrooms);
      if (hold instanceof ApiError || hold.amountNanos === 0n) return;
      expect(headrooms.every(({ leftNanos }) => hold.amountNanos <= leftNanos)).toBe(true);
      expect(hold.amountNanos).toBe(fullHold({ ...bound, requestedOutput: hold.maxOutputTokens }, modelWith({}), price).amountNanos);
    });
    fc.assert(fits, runs(2500, 200_000));
  });

  test("and rejected only where nothing fits: open output is shortened down to the least, requested output only to x-max-cost", () => {
    const seen = { refused: 0, shortened: 0, full: 0 };
    const onlyThen = fc.property(cases, ({ bound, model, price, headrooms }) => {
      const full = fullHold(bound, model, price);
      const own = headrooms.find(({ kind }) => kind === "max_cost");
      const others = lowest(headrooms.filter((headroom) => headroom !== own));
      const bounded = !own || full.amountNanos <= own.leftNanos ? full : shortened(full, bound, price, own.leftNanos);
      const isOutputOpen = bound.isShortenable;
      const best =
        !bounded || bounded.amountNanos <= others.leftNanos || !isOutputOpen ? bounded : shortened(bounded, bound, price, others.leftNanos);
      const should = full.amountNanos === 0n || (best !== undefined && best.amountNanos <= others.leftNanos);
      const hold = tryFit(bound, model, price, headrooms);
      expect(hold instanceof ApiError).toBe(!should);
      if (hold instanceof ApiError) return void seen.refused++;
      expect(hold).toEqual(full.amountNanos === 0n ? full : best!);
      if (hold.maxOutputTokens === full.maxOutputTokens) seen.full++;
      else seen.shortened++;
    });
    fc.assert(onlyThen, runs(6000, 200_000));
    expect(Object.entries(seen).filter(([, times]) => times < 200)).toEqual([]);
  });
});

describe("the 402", () => {
  test("states the remaining amount and the highest max_tokens that is accepted", () => {
    let offered = 0;
    const holds = fc.property(cases, ({ bound, model, price, headrooms }) => {
      const refusal = tryFit(bound, model, price, headrooms);
      if (!(refusal instanceof ApiError)) return;
      const { message } = refusal;
      expect(refusal.status).toBe(402);
      const own = headrooms.find(({ kind }) => kind === "max_cost");
      const tightest = refusal.param === "x-max-cost" ? own! : lowest(headrooms.filter((headroom) => headroom !== own));
      expect(message).toContain(`$${formatDollars(tightest.leftNanos < 0n ? -tightest.leftNanos : tightest.leftNanos)}`);
      const [, maxTokens] = /max_tokens: (\d+)/.exec(message) ?? [];
      if (maxTokens === undefined) {
        expect(message).toMatch(tightest.leftNanos < 0n ? / is exceeded by | in debt/ : /which does not pay for the prompt/);
        return expect(tryFit({ ...bound, requestedOutput: 1, isShortenable: false }, model, price, headrooms)).toBeInstanceOf(ApiError);
      }
      offered++;
      expect(tryFit({ ...bound, requestedOutput: Number(maxTokens), isShortenable: false }, model, price, headrooms)).not.toBeInstanceOf(
        ApiError,
      );
      expect(tryFit({ ...bound, requestedOutput: Number(maxTokens) + 1, isShortenable: false }, model, price, headrooms)).toBeInstanceOf(
        ApiError,
      );
    });
    fc.assert(holds, runs(7000, 400_000));
    expect(offered).toBeGreaterThan(500);
  });

  test("asks for a retry exactly where the request would fit if idle, and otherwise reports the shortfall", () => {
    const spendLimit = { scope: "account", what: "credit" } as const;
    const seen = new Map<string, number>();
    const inFlight = fc.property(cases, ({ bound, model, price, headrooms: [account] }) => {
      const refusal = tryFit(bound, model, price, [{ ...account!, spendLimit }]);
      if (!(refusal instanceof ApiError)) return;
      const whenIdle = tryFit(bound, model, price, [{ ...account!, leftNanos: account!.leftIfIdleNanos }]);
      expect(refusal.code).toBe(whenIdle instanceof ApiError ? "insufficient_credits" : "credits_in_flight");
      const isInFlight = refusal.code === "credits_in_flight";
      expect(refusal.retryAfterSeconds).toBe(isInFlight ? 2 : undefined);
      expect(refusal.shortfall).toEqual(isInFlight ? undefined : { ...spendLimit, leftNanos: account!.leftIfIdleNanos });
      seen.set(refusal.code, (seen.get(refusal.code) ?? 0) + 1);
    });
    fc.assert(inFlight, runs(2500, 200_000));
    expect([...seen.values()].every((times) => times > 200) && seen.size === 2).toBe(true);
  });

  const flat = { inputPicos: 1_000_000n, cachedInputPicos: 0n, cacheWritePicos: 0n, outputPicos: 2_000_000n, reasoningPicos: 0n };
  const price = makePrice({ effectiveAtMs: 0, source: "operator", rates: flat, tiers: [] });
  const errorOf = (headrooms: Headroom[], isOutputOpen = false): unknown => {
    const refused = tryFit(
      {
        inputTokens: 100,
        choices: 2,
        requestedOutput: isOutputOpen ? undefined : 1000,
        leastOutput: 1,
        isShortenable: isOutputOpen,
        limitName: "max_tokens",
        feeNanos: 0n,
      },
      modelWith({}),
      price,
      headrooms,
    );
    return refused instanceof ApiError ? [refused.code, refused.message] : refused;
  };

  test("has a readable message", () => {
    const account = headroomOf("credit", "the account", 10n ** 12n);
    expect(errorOf([headroomOf("credit", "the account", 500_000n)])).toEqual([
      "insufficient_credits",
      "This request may cost up to $0.0041, and the account has $0.0005 of credit left, which would pay for max_tokens: 100.",
    ]);
    expect(errorOf([headroomOf("credit", "the account", -5n)], true)).toEqual([
      "insufficient_credits",
      "This request may cost up to $0.065636, and the account is $0.000000005 in debt.",
    ]);
    expect(errorOf([headroomOf("credit", "the account", 500_000n, 5_000_000n)])).toEqual([
      "credits_in_flight",
      "This request may cost up to $0.0041, and the account has $0.0005 of credit left, which would pay for max_tokens: 100; another $0.0045 is held for requests in flight. Please try again in 2s.",
    ]);
    expect(
      errorOf([account, headroomOf("budget", "the daily spend cap of this key", 500_000n, 500_000n, Date.parse("2027-01-02"))]),
    ).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and the daily spend cap of this key has $0.0005 left, which would pay for max_tokens: 100. It resets at 2027-01-02T00:00:00.000Z.",
    ]);
    expect(errorOf([account, headroomOf("budget", "the total spend cap of this key", -100_000n)])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and the total spend cap of this key is exceeded by $0.0001. It does not reset; the operator can raise it.",
    ]);
    expect(errorOf([account, headroomOf("budget", "the total spend cap of this key", 0n)])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and the total spend cap of this key has $0.00 left, which does not pay for the prompt: $0.000104 would, with the shortest response. It does not reset; the operator can raise it.",
    ]);
    expect(errorOf([account, headroomOf("max_cost", "this request", 50_000n)])).toEqual([
      "budget_exceeded",
      "This request may cost up to $0.0041, and its x-max-cost is $0.00005, which does not pay for the prompt: $0.000104 would, with the shortest response.",
    ]);
  });

  test("is not returned where the client's x-max-cost keeps the request within the headroom", () => {
    const headrooms = [headroomOf("credit", "the account", 900_000n), headroomOf("max_cost", "this request", 500_000n)];
    expect(errorOf(headrooms)).toEqual({ amountNanos: 500_000n, maxOutputTokens: 100, maxTokens: 100, isShortened: true });
  });
});
