import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { completion, configFor, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { canChangeAccounts } from "./can-change-accounts.ts";
import { Gate } from "./gate.ts";
import { expectTooMany, remaining, type WireLimits } from "./limit-replies.ts";
import { chatBody, postChat, type Reply } from "./post-chat.ts";

const gate = new Gate();
/** The tokens of each response. */
const USED = 7;

const upstream = startMockUpstream({
  "up-quick": () => Response.json(completion()),
  async "up-held"() {
    await gate.pass();
    return Response.json(completion());
  },
});
const yaml = configFor(upstream.baseUrl, ["quick", "held"]);
const gateway = await startGateway({ yaml });
const mayChangeAccounts = await canChangeAccounts(gateway);
await gateway.stop();

afterAll(() => upstream.stop());

beforeEach(() => gate.close());

type CallAsKey = (key: 0 | 1, model?: string) => Promise<Reply>;

/** Starts a gateway for each test. Its default account has these limits and two keys. */
async function limited(limits: WireLimits, check: (callAsKey: CallAsKey) => Promise<void>): Promise<void> {
  const other = await startGateway({ yaml });
  try {
    const keys = [await other.makeKey(), await other.makeKey()] as const;
    await other.platform("PATCH", "/api/accounts/default", { limits });
    await check((key, model = "quick") => postChat(other, keys[key].key, chatBody(model, { max_tokens: 100 })));
  } finally {
    gate.open();
    await other.stop();
  }
}

// Not every build has an endpoint that changes accounts.
describe.skipIf(!mayChangeAccounts)("an account's limits hold for all of its keys together", () => {
  test("requests per minute", async () => {
    await limited({ requests_per_minute: 4 }, async (callAsKey) => {
      for (const [key, left] of [
        [0, 3],
        [1, 2],
        [0, 1],
        [1, 0],
      ] as const)
        expect(remaining(await callAsKey(key), "requests")).toBe(left);
      for (const key of [0, 1] as const)
        expectTooMany(await callAsKey(key), "This account has reached its limit of 4 requests per minute.");
    });
  });

  test("tokens per minute", async () => {
    await limited({ tokens_per_minute: 200 }, async (callAsKey) => {
      const first = callAsKey(0, "held");
      await gate.holds(1);
      expectTooMany(await callAsKey(1), "of its 200 tokens per minute left");
      gate.open();
      expect(remaining(await first, "tokens")).toBe(200 - USED);
      expect(remaining(await callAsKey(1), "tokens")).toBe(200 - 2 * USED);
    });
  });

  test("concurrent requests", async () => {
    await limited({ concurrent_requests: 2 }, async (callAsKey) => {
      const held = [callAsKey(0, "held"), callAsKey(1, "held")];
      await gate.holds(2);
      for (const key of [0, 1] as const)
        expectTooMany(await callAsKey(key), "This account has reached its limit of 2 concurrent requests.");
      gate.open();
      await Promise.all(held);
      expect((await callAsKey(0)).status).toBe(200);
    });
  });
});
