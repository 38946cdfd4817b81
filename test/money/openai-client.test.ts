import { afterAll, describe, expect, test } from "bun:test";
import type { APIError } from "openai";
import { createCountedFetch } from "../clients/counted-fetch.ts";
import { failureOf } from "../clients/failure-of.ts";
import { OPENAI_PACKAGES } from "../clients/openai-packages.ts";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { Gate } from "./gate.ts";
import { priceOf, setCredit } from "./ledger-of.ts";

const gate = new Gate();
const upstream = startMockUpstream({
  "up-chat": () => Response.json(completion()),
  async "up-held"() {
    await gate.pass();
    return Response.json(completion());
  },
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "held"]) });
const { key } = await gateway.makeKey();

afterAll(async () => {
  gate.open();
  await gateway.stop();
  await upstream.stop();
});

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  describe(name, () => {
    const countedFetch = createCountedFetch();
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, fetch: countedFetch });

    function ask(apiKey: string, model: string, changes: object = {}, maxRetries = 2): PromiseLike<unknown> {
      countedFetch.sent = 0;
      const messages = [{ role: "user" as const, content: "Hello!" }];
      return client.withOptions({ apiKey, maxRetries }).chat.completions.create({ model, messages, max_tokens: 100, ...changes });
    }

    for (const stream of [false, true]) {
      const kind = stream ? "a stream" : "a JSON answer";

      test(`${kind} above a rate limit raises RateLimitError with the headers`, async () => {
        const { key: limited } = await gateway.makeKey(["*"], { limits: { requests_per_minute: 1 } });
        await ask(limited, "chat");
        const error = (await failureOf(ask(limited, "chat", { stream }, 0))) as APIError;
        expect(error).toBeInstanceOf(OpenAI.RateLimitError);
        expect(error).toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "rate_limit_error" });
        expect(Number(error.headers?.get("retry-after"))).toBeWithin(1, 60);
        expect(error.headers?.get("x-ratelimit-remaining-requests")).toBe("0");
      });

      test(`${kind} without credit raises APIError with status 402, and is not retried`, async () => {
        await setCredit(gateway, 1n);
        const error = (await failureOf(ask(key, "chat", { stream }))) as APIError;
        expect(error).toBeInstanceOf(OpenAI.APIError);
        expect(error).toMatchObject({ status: 402, code: "insufficient_credits", type: "insufficient_quota" });
        expect(countedFetch.sent).toBe(1);
        await setCredit(gateway, 1_000_000_000n);
      });

      test(`${kind} above a spend cap raises APIError with status 402, and is not retried`, async () => {
        const { key: capped } = await gateway.makeKey(["*"], { caps: { month: "0.000001" } });
        const error = (await failureOf(ask(capped, "chat", { stream }))) as APIError;
        expect(error).toMatchObject({ status: 402, code: "budget_exceeded", type: "insufficient_quota" });
        expect(countedFetch.sent).toBe(1);
      });

      test(`${kind} while all credit is held by requests in flight raises APIError with Retry-After`, async () => {
        gate.close();
        // The credit is enough for one request, but not for two.
        await setCredit(gateway, priceOf(250, 100));
        const held = ask(key, "held");
        await gate.holds(1);
        const error = (await failureOf(ask(key, "chat", { stream }))) as APIError;
        expect(error).toMatchObject({ status: 402, code: "credits_in_flight", type: "insufficient_quota" });
        expect(Number(error.headers?.get("retry-after"))).toBeWithin(1, 60);
        gate.open();
        await held;
        await setCredit(gateway, 1_000_000_000n);
      });
    }
  });
}
