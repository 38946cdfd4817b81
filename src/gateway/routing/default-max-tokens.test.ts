import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { prices } from "../../../test/support/money/hold-arbitraries.ts";
import { runs } from "../../../test/support/long.ts";
import { callOf, chatOf, sentText } from "../../../test/support/upstreams/upstream-call.ts";
import { toModel } from "../../models/declared-model.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { Headroom } from "../../money/headroom.ts";
import { ApiError } from "../../requests/api-error.ts";
import { withDefaults } from "../../requests/routes/with-defaults.ts";
import { toOpenAIRequest } from "../../upstreams/openai/openai-request.ts";
import { fitHold, tokenBoundOf, type HoldSize, measurePrompt } from "../admission/cost-bound.ts";
import { sentMaxTokens } from "./default-max-tokens.ts";

const SETTINGS = remoteAt("u", undefined, { baseUrl: "https://llm.example/v1", allowPrivate: false }, []);
const CONTEXT = { createdSeconds: 0, state: { name: "available" as const }, defaultPrices: () => [] };
const LIMIT = fc.integer({ min: 1, max: 40_000 });

const defaults = fc.record(
  { max_tokens: LIMIT, max_completion_tokens: LIMIT, temperature: fc.constant(0.5), stop: fc.string({ maxLength: 50 }) },
  { requiredKeys: [] },
);
const routes = fc.array(fc.option(defaults, { nil: undefined }), { minLength: 1, maxLength: 3 }).map((all) =>
  all.map((each) => {
    const { max_completion_tokens: _newName, ...single } = each ?? {};
    return { upstream: "u", model: "m", ...(each && { defaults: each.max_tokens === undefined ? each : single }) };
  }),
);
const body = fc.record({ max_tokens: LIMIT, max_completion_tokens: LIMIT }, { requiredKeys: [] });

function tryFit(...of: Parameters<typeof fitHold>): HoldSize | undefined {
  try {
    return fitHold(...of);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

test("whichever route serves a request, its output limit and its prompt are within the hold", () => {
  const property = fc.property(
    routes,
    body,
    fc.option(LIMIT, { nil: undefined }),
    prices,
    fc.bigInt({ min: 0n, max: 10n ** 11n }),
    (declared, asked, maximum, price, leftNanos) => {
      const model = toModel(
        { id: "m", routes: declared, ...(maximum !== undefined && { max_output_tokens: maximum }) },
        CONTEXT,
        (path, message) => {
          throw new Error(`${path.join(".")} ${message}`);
        },
      );
      const chat = chatOf({ model: "m", messages: [{ role: "user", content: "hi" }], ...asked });
      const prompt = measurePrompt(chat, model, () => undefined);
      const headroom: Headroom = { name: "x", kind: "credit", leftNanos, leftIfIdleNanos: leftNanos, resetsAtMs: undefined };
      const hold = tryFit(tokenBoundOf(chat, prompt, model, 1), model, price, [headroom]);
      if (!hold) return;
      for (const route of model.routes) {
        const own = route.defaults ? withDefaults(chat, route.defaults) : chat;
        expect(own.byteText.length).toBeLessThanOrEqual(prompt.textBytes);
        const maxTokens = sentMaxTokens(hold.maxTokens, { chat: own, route });
        const sent = JSON.parse(sentText({ body: toOpenAIRequest(callOf(own, { maxTokens }), SETTINGS) })) as Record<string, number>;
        const limit = Math.max(sent["max_tokens"] ?? 0, sent["max_completion_tokens"] ?? 0);
        if (hold.amountNanos > 0n) expect(limit).toBeLessThanOrEqual(hold.maxOutputTokens);
        if (hold.isShortened || (own !== chat && route.defaults?.max_tokens !== undefined)) expect(limit).toBeGreaterThan(0);
      }
    },
  );
  fc.assert(property, runs(500, 40_000));
});
