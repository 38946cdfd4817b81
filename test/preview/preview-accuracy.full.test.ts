import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseDollars } from "../../src/money/money.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { chatBody, postChat } from "../money/post-chat.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** Two keys of one account, which call three models in turn. The third never responds. */
interface Scenario {
  readonly gateway: RunningGateway;
  readonly keys: readonly { readonly id: string; readonly key: string }[];
}

interface Preview {
  readonly requests: number;
  readonly refused: number;
  readonly refused_by: Readonly<Record<string, number>>;
  readonly money: Readonly<Record<"charged" | "would_be_charged" | "difference", string>>;
  readonly keys: { readonly count: number; readonly first: readonly { readonly name: string; readonly refused: number }[] };
}

const PRICE = { input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1 };
const HIGHER_PRICE = { ...PRICE, output_per_million: 3.3, tiers: [{ above_input_tokens: 4, input_per_million: 7, output_per_million: 9 }] };
const MODELS = ["large", "small", "failing"];
/** The error codes of admission. Upstream failures were admitted. */
const REFUSALS = new Set([402, 403, 429]);

let mock: MockUpstream;
const started: RunningGateway[] = [];

beforeAll(() => {
  mock = startMockUpstream({
    "up-large": () => Response.json(completion()),
    "up-small": () => Response.json(completion({ content: "Hi" })),
    "up-failing": () => Response.json({ error: { message: "out of order" } }, { status: 500 }),
  });
});

afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  await mock.stop();
});

async function startScenario(): Promise<Scenario> {
  const gateway = await startGateway();
  started.push(gateway);
  await gateway.platform("POST", "/api/upstreams", { id: "mock", dialect: "openai", base_url: mock.baseUrl, allow_private: true });
  for (const id of MODELS) {
    await gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "mock", model: `up-${id}` }], price: PRICE });
  }
  await gateway.platform("POST", "/api/models/small/deprecate", { shutdown_date: "2999-01-31", replacement: "large" });
  return { gateway, keys: [await gateway.makeKey(["*"], { name: "first" }), await gateway.makeKey(["*"], { name: "second" })] };
}

/** Sends the same requests each time, in sequence. Returns the rejections by key name. */
async function play({ gateway, keys }: Scenario): Promise<{ first: string[]; second: string[] }> {
  const refused = { first: [] as string[], second: [] as string[] };
  for (let at = 0; at < 30; at++) {
    const body = chatBody(MODELS[at % 7 === 6 ? 2 : at % 2]!, { max_tokens: 60 + ((at * 37) % 100), user: "x".repeat(at) });
    const name = at % 3 === 0 ? "second" : "first";
    const { status, code } = await postChat(gateway, keys[name === "first" ? 0 : 1]!.key, body);
    if (REFUSALS.has(status)) refused[name].push(code!);
  }
  return refused;
}

async function chargedTo({ gateway }: Scenario): Promise<bigint> {
  const { spent } = await gateway.platform<{ spent: { total: string } }>("GET", "/api/accounts/default");
  return parseDollars(spent.total)!;
}

/** A change as a platform call, and which of the thirty requests it affects. */
type Change = (scenario: Scenario) => [method: string, path: string, body?: object];

const CHANGES: Readonly<Record<string, { readonly make: Change; readonly concerns: number; readonly codes: readonly string[] }>> = {
  "another list of a key": {
    make: ({ keys }) => ["PATCH", `/api/keys/${keys[0]!.id}`, { models: ["lar*", "failing"] }],
    concerns: 20,
    codes: ["model_not_allowed"],
  },
  "another list of the account": {
    make: () => ["PATCH", "/api/accounts/default", { models: ["small"] }],
    concerns: 30,
    codes: ["model_not_allowed"],
  },
  "a cap on a key": {
    make: ({ keys }) => ["PATCH", `/api/keys/${keys[0]!.id}`, { caps: { total: "0.00042" } }],
    concerns: 20,
    codes: ["budget_exceeded"],
  },
  "a cap on the account, with a list": {
    make: () => ["PATCH", "/api/accounts/default", { caps: { total: "0.0005" }, models: ["large", "failing"] }],
    concerns: 30,
    codes: ["budget_exceeded", "model_not_allowed"],
  },
  "the end of a model": { make: () => ["POST", "/api/models/small/retire"], concerns: 13, codes: ["model_retired"] },
  "another price": { make: () => ["PATCH", "/api/models/large", { price: HIGHER_PRICE }], concerns: 13, codes: [] },
};

describe("a preview matches the outcome of the same requests after the change:", () => {
  let past: Scenario;

  beforeAll(async () => {
    past = await startScenario();
    expect(await play(past)).toEqual({ first: [], second: [] });
  });

  for (const [name, { make, concerns, codes }] of Object.entries(CHANGES)) {
    test(name, async () => {
      const before = await past.gateway.platform<object>("GET", "/api/audit-log");
      const [method, path, body] = make(past);
      const preview = await past.gateway.platform<Preview>(method, `${path}?preview=true`, body);
      expect(await past.gateway.platform<object>("GET", "/api/audit-log")).toEqual(before);
      expect([preview.requests, Object.keys(preview.refused_by).toSorted()]).toEqual([concerns, [...codes]]);

      const again = await startScenario();
      await again.gateway.platform(...make(again));
      const refused = await play(again);
      const all = [...refused.first, ...refused.second];
      expect(preview.refused).toBe(all.length);
      expect(preview.refused_by).toEqual(Object.fromEntries(codes.map((code) => [code, all.filter((each) => each === code).length])));
      for (const key of preview.keys.first) expect([key.name, key.refused]).toEqual([key.name, refused[key.name as "first"].length]);
      // The charges of unaffected requests do not change.
      const { charged, would_be_charged: wouldBe, difference } = preview.money;
      expect(parseDollars(difference)).toBe(parseDollars(wouldBe)! - parseDollars(charged)!);
      expect((await chargedTo(again)) - (await chargedTo(past))).toBe(parseDollars(difference)!);
    });
  }
});
