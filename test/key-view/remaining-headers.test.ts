import { afterAll, describe, expect, test } from "bun:test";
import type { APIError } from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { OPENAI_PACKAGES } from "../clients/openai-packages.ts";
import { accountNow, nanosOf } from "../money/ledger-of.ts";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { fund } from "../support/upstreams/money-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

const CREDIT = "x-tollgate-credit-remaining";
const CAP = "x-tollgate-cap-remaining";

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-broken": () => new Response("no", { status: 500 }),
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "broken"]) });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const heldFor = async (requestId: string): Promise<bigint> =>
  nanosOf((await gateway.platform<{ held: string }>("GET", `/api/receipts/${requestId}`)).held);

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: "set per call", maxRetries: 0 });

  /** The headers of a response, fetched with the SDK, which reads the response completely. */
  async function ask(apiKey: string, changes: object = {}, headers: Record<string, string> = {}): Promise<Headers> {
    const messages = [{ role: "user" as const, content: "Hello!" }];
    const asked = client
      .withOptions({ apiKey })
      .chat.completions.create({ model: "chat", messages, max_tokens: 100, ...changes }, { headers })
      .withResponse();
    const { data, response } = await asked;
    if (Symbol.asyncIterator in data) for await (const chunk of data as AsyncIterable<unknown>) void chunk;
    return response.headers;
  }

  describe(`${name}: the remaining credit`, () => {
    for (const stream of [false, true]) {
      test(`is in the headers of ${stream ? "a stream" : "a JSON response"}, after the hold`, async () => {
        const account = `plain-${name.at(-1)}-${stream}`;
        const { key } = await fund(gateway, account, "1");
        for (let request = 0; request < 2; request++) {
          const { availableNanos } = await accountNow(gateway, account);
          const headers = await ask(key, { stream });
          const held = await heldFor(headers.get("x-request-id")!);
          expect(held).toBeGreaterThan(0n);
          expect([nanosOf(headers.get(CREDIT)!), headers.get(CAP)]).toEqual([availableNanos - held, null]);
        }
      });
    }

    test("comes with the remaining amount of the tightest spend cap, of the key or the account", async () => {
      const account = `capped-${name.at(-1)}`;
      await fund(gateway, account, "10");
      await gateway.platform("PATCH", `/api/accounts/${account}`, { caps: { day: "3", total: "2" } });
      const { key, id } = await gateway.platform<{ key: string; id: string }>("POST", "/api/keys", {
        name: "capped",
        account,
        models: ["*"],
      });
      const first = await ask(key);
      expect(nanosOf(first.get(CAP)!)).toBe(2_000_000_000n - (await heldFor(first.get("x-request-id")!)));
      await gateway.platform("PATCH", `/api/keys/${id}`, { caps: { month: "1" } });
      const charged = nanosOf(first.get("x-tollgate-cost")!);
      const second = await ask(key, { stream: true });
      expect(nanosOf(second.get(CAP)!)).toBe(1_000_000_000n - charged - (await heldFor(second.get("x-request-id")!)));
    });

    test("is on a 402 and on a failure of the upstream, and not on a replay, which is not admitted", async () => {
      const account = `errors-${name.at(-1)}`;
      const { key } = await fund(gateway, account, "0.0005");
      const refused = (await failureOf(ask(key, { max_tokens: 5000 }))) as APIError;
      expect([refused.status, refused.headers?.get(CREDIT), refused.headers?.get(CAP)]).toEqual([402, "0.0005", null]);
      const failed = (await failureOf(ask(key, { model: "broken" }))) as APIError;
      expect([failed.status, nanosOf(failed.headers!.get(CREDIT)!) < 500_000n]).toEqual([502, true]);
      const once = { "Idempotency-Key": account };
      expect((await ask(key, {}, once)).get(CREDIT)).toBeString();
      const replayed = await ask(key, {}, once);
      expect([replayed.get("x-tollgate-replayed"), replayed.get(CREDIT)]).toEqual([expect.any(String) as string, null]);
    });

    test("is hidden, also in the message of a 402, where the account does not show its credit", async () => {
      const account = `hidden-${name.at(-1)}`;
      const { key } = await fund(gateway, account, "0.0005");
      await gateway.platform("PATCH", `/api/accounts/${account}`, { show_credit: false, caps: { day: "5" } });
      const headers = await ask(key, { stream: true });
      expect([headers.get(CREDIT), headers.get(CAP)]).toEqual([null, null]);
      const refused = (await failureOf(ask(key, { max_tokens: 5000 }))) as APIError;
      expect([refused.headers?.get(CREDIT), refused.headers?.get(CAP)]).toEqual([null, null]);
      expect(refused.message).toEndWith(`and the account ${account} has too little credit left.`);
    });
  });
}

test("a page of another origin may read the headers", async () => {
  const { key } = await fund(gateway, "browser", "1");
  const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", origin: "https://app.example" },
    body: JSON.stringify({ model: "chat", messages: [{ role: "user", content: "Hello!" }] }),
  });
  await response.text();
  expect(response.headers.get("access-control-expose-headers")!.split(", ")).toContainValues([CREDIT, CAP]);
});
