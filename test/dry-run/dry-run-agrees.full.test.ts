import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../support/long.ts";
import { explained, MODELS, post, startManyModels, type ManyModels } from "./many-models.ts";

let many: ManyModels;
beforeAll(async () => void (many = await startManyModels()));
afterAll(() => many.stop());

/** A key of a new account, with little credit, low spend caps and rate limits, or without any limits. */
const keys = fc.record({
  credit: fc.constantFrom("0.00002", "0.0003", "0.03", "5", "5"),
  models: fc.constantFrom(["*"], ["*"], ["plain", "kept", "g*"]),
  caps: fc.oneof(fc.constant({}), fc.record({ day: fc.constantFrom("0.0002", "0.01") })),
  limits: fc.oneof(
    fc.constant({}),
    fc.record({ requests_per_minute: fc.constantFrom(1, 3) }),
    fc.record({ tokens_per_minute: fc.constantFrom(60, 20_000), concurrent_requests: fc.constant(1) }),
  ),
  accountModels: fc.constantFrom(["*"], ["*"], ["*"], ["p*", "kept", "strict"]),
});

type KeySettings = typeof keys extends fc.Arbitrary<infer T> ? T : never;

const bodies = fc.record(
  {
    model: fc.constantFrom(...MODELS, "kept", "kept", "plain", "strict", "nowhere"),
    content: fc.constantFrom("hi", "hi", "x".repeat(400)),
    max_tokens: fc.constantFrom(1, 30, 5000, 10_000_000),
    stream: fc.constant(true),
    seed: fc.constant(1),
    n: fc.constant(3),
  },
  { requiredKeys: ["model", "content"] },
);

const headers = fc.record(
  {
    "x-max-cost": fc.constantFrom("0.0001", "0.01", "nonsense"),
    "idempotency-key": fc.constantFrom("a", "not good"),
    "cache-control": fc.constantFrom("no-cache", "no-store"),
    "x-timeout-ms": fc.constantFrom("600000", "-1"),
  },
  { requiredKeys: [] },
);

/** Some requests are sent twice, so that there are replays. */
const requests = fc.record({ body: bodies, headers: fc.oneof(fc.constant({}), fc.constant({}), headers), times: fc.constantFrom(1, 1, 2) });

let accounts = 0;

async function makeKey({ credit, models, caps, limits, accountModels }: KeySettings): Promise<string> {
  const id = `a${++accounts}`;
  const { gateway } = many;
  await gateway.platform("POST", "/api/accounts", { id, name: id, models: accountModels });
  await gateway.platform("POST", `/api/accounts/${id}/grants`, { amount: credit, reference: "first", reason: "for tests" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: id, account: id, models, caps, limits });
  return key;
}

/** The remaining time of a limit may differ from one request to the next. */
function splitArguments(body: unknown): string {
  return JSON.stringify(body).replaceAll(/in \d+s/g, "in a while");
}

/** Sends the dry run, and then the request. Returns the results of both. */
async function compare(key: string, body: string, sent: Record<string, string>): Promise<string> {
  const explanation = await explained(many.gateway, key, body, sent);
  const reply = await post(many.gateway, key, body, sent);
  const text = await reply.text();
  const [cache, replayed] = ["x-tollgate-cache", "x-tollgate-replayed"].map((name) => reply.headers.get(name));
  expect([explanation.status, explanation["replayed"]]).toEqual([reply.status, replayed]);
  if (reply.status !== 200) {
    expect(splitArguments({ error: explanation.error })).toBe(splitArguments(JSON.parse(text)));
    return `${reply.status} ${String(explanation.error!["code"])}`;
  }
  if (replayed !== null) return "200 replayed";
  expect(explanation["cache"]).toBe(cache);
  return cache === null ? "200" : `200 ${cache}`;
}

test("for any key and request, the request has the result of its dry run", async () => {
  const seen = new Set<string>();
  const agrees = fc.asyncProperty(keys, fc.array(requests, { minLength: 2, maxLength: 8 }), async (wanted, asked) => {
    const key = await makeKey(wanted);
    for (const { body, headers: sent, times } of asked) {
      const { content, ...rest } = body;
      const text = JSON.stringify({ ...rest, messages: [{ role: "user", content }] });
      for (let time = 0; time < times; time++) seen.add(await compare(key, text, sent));
    }
  });
  await fc.assert(agrees, runs(100, 3000));
  expect([...seen].toSorted()).toEqual([
    "200",
    "200 hit",
    "200 miss",
    "200 replayed",
    "400 invalid_value",
    "400 unsupported_parameter",
    "402 budget_exceeded",
    "402 insufficient_credits",
    "403 model_not_allowed",
    "403 model_retired",
    "429 rate_limit_exceeded",
    "503 no_upstream_available",
  ]);
}, 300_000);
