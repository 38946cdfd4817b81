import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/long.ts";
import { costOf } from "../../money/price.ts";
import type { ChatRequest } from "../../requests/chat-request.ts";
import { chatOf } from "../../../test/upstream-call.ts";
import { modelWith, models, prices, sizes } from "../../../test/hold-arbitraries.ts";
import { affordableMaxTokens, fullHold, promptEstimateOf, shortened, sizeOf, wantedOutputOf } from "./hold.ts";
import type { PromptSize } from "./prompt-size.ts";

const chatWith = (body: Record<string, unknown>, content: unknown = "hi"): ChatRequest =>
  chatOf({ messages: [{ role: "user", content }], ...body });

const wanted = (body: Record<string, unknown>): number | undefined => wantedOutputOf(chatWith(body));

const promptOf = (textBytes: number, mediaTokens = 0): PromptSize => ({ textBytes, mediaTokens, derivation: undefined });

describe("the size of a request", () => {
  test("is bounded by its bytes, or by what the model can read", () => {
    expect(sizeOf(chatWith({}), promptOf(1000), modelWith({}))).toEqual({ inputTokens: 1000, choices: 1, wantedOutput: undefined });
    expect(sizeOf(chatWith({ n: 3 }), promptOf(1000), modelWith({ contextWindow: 400 }))).toMatchObject({ inputTokens: 400, choices: 3 });
    expect(sizeOf(chatWith({ n: null }), promptOf(1000), modelWith({ contextWindow: 4000 }))).toMatchObject({
      inputTokens: 1000,
      choices: 1,
    });
  });

  test("has a token for each byte of text, and the same for media as an estimate has, within what the model can read", () => {
    const prompt = promptOf(1000, 765);
    expect(sizeOf(chatWith({}), prompt, modelWith({})).inputTokens).toBe(1765);
    expect(promptEstimateOf(prompt, modelWith({}))).toBe(250 + 765);
    for (const count of [
      sizeOf(chatWith({}), prompt, modelWith({ contextWindow: 800 })).inputTokens,
      promptEstimateOf(prompt, modelWith({ contextWindow: 800 })),
    ])
      expect(count).toBe(800);
  });

  test("has the caller's limit by either name, and by both the higher, because upstreams know one or the other", () => {
    expect(wanted({ max_tokens: 7 })).toBe(7);
    expect(wanted({ max_completion_tokens: 7, max_tokens: null })).toBe(7);
    expect(wanted({ max_completion_tokens: 1, max_tokens: 1_000_000 })).toBe(1_000_000);
    expect(wanted({ max_completion_tokens: 9, max_tokens: 2 })).toBe(9);
    expect(wanted({ max_tokens: null })).toBeUndefined();
  });
});

describe("a full hold", () => {
  test("is enough for every answer within its limit, whatever kinds its tokens are", () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const enough = fc.property(sizes, models, prices, fc.tuple(part, part, part, part, part), (size, model, price, parts) => {
      const { amountNanos, outputTokens } = fullHold(size, model, price);
      const promptTokens = Math.floor(size.inputTokens * parts[0]);
      const completionTokens = Math.floor(outputTokens * size.choices * parts[1]);
      const cachedTokens = Math.floor(promptTokens * parts[2]);
      const cacheWriteTokens = Math.floor((promptTokens - cachedTokens) * parts[3]);
      const reasoningTokens = Math.floor(completionTokens * parts[4]);
      expect(costOf({ promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens }, price) <= amountNanos).toBe(true);
    });
    fc.assert(enough, runs(5000));
  });

  test("reckons with the lower of what the caller wants and the model has, and tells the upstream where that is not the caller's own", () => {
    const reckoned = fc.property(sizes, models, prices, (size, model, price) => {
      const { amountNanos, outputTokens, maxTokens } = fullHold(size, model, price);
      const declared = model.maxOutputTokens;
      expect(outputTokens).toBe(Math.min(size.wantedOutput ?? declared ?? 16_384, declared ?? Number.POSITIVE_INFINITY));
      const isOwn = outputTokens === size.wantedOutput;
      expect(maxTokens).toBe(amountNanos === 0n || declared === undefined || isOwn ? undefined : outputTokens);
    });
    fc.assert(reckoned, runs(2000));
  });
});

describe("a shortened hold", () => {
  const rooms = fc.oneof(fc.bigInt({ min: -10n, max: 10_000n }), fc.bigInt({ min: 0n, max: 10n ** 12n }));

  test("never costs more than the room, is the longest that does not, and tells the upstream how long that is", () => {
    const longest = fc.property(sizes, models, prices, rooms, (size, model, price, room) => {
      const full = fullHold(size, model, price);
      const shorter = shortened(full, size, price, room);
      const costAt = (wantedOutput: number): bigint => fullHold({ ...size, wantedOutput }, modelWith({}), price).amountNanos;
      if (!shorter) return expect(costAt(1) > room).toBe(true);
      expect(shorter.amountNanos <= room && shorter.outputTokens >= 1).toBe(true);
      expect(shorter.amountNanos).toBe(costAt(shorter.outputTokens));
      if (shorter.outputTokens === full.outputTokens) return expect(shorter).toBe(full);
      expect(shorter.maxTokens).toBe(shorter.outputTokens);
      expect(costAt(shorter.outputTokens + 1) > room).toBe(true);
    });
    fc.assert(longest, runs(5000));
  });

  test("the highest max_tokens that an amount pays for is paid for in every choice, and one more is not", () => {
    const highest = fc.property(sizes, prices, rooms, (size, price, room) => {
      const maxTokens = affordableMaxTokens(room, size, price);
      const costAt = (wantedOutput: number): bigint => fullHold({ ...size, wantedOutput }, modelWith({}), price).amountNanos;
      if (Number.isFinite(maxTokens)) expect(costAt(maxTokens + 1) > room).toBe(true);
      if (maxTokens >= 1) expect(costAt(Math.min(maxTokens, 1e9)) <= room).toBe(true);
    });
    fc.assert(highest, runs(5000));
  });
});
