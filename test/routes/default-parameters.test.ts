import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FlakyUpstream, rejectsWith, answers } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig } from "./routed-gateway.ts";

const first = new FlakyUpstream("first");
const second = new FlakyUpstream("second");
let routed: RoutedGateway;

const DEFAULTS = { temperature: 0.2, max_tokens: 50, chat_template_kwargs: { enable_thinking: false } };

beforeAll(async () => {
  const routes = [
    { upstream: "first", model: "m", defaults: DEFAULTS },
    { upstream: "second", model: "m", priority: 2, defaults: { max_tokens: 20 } },
  ];
  routed = await RoutedGateway.start(
    routesConfig(
      [first, second],
      [
        { id: "chat", routes },
        {
          id: "renamed",
          routes: [{ upstream: "second", model: "m", defaults: { user: "ours", max_tokens: 7 } }],
          parameters: { user: "drop", max_tokens: { rename: "max_completion_tokens" } },
        },
      ],
    ),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all([first.stop(), second.stop()]);
});

async function explain(body: object): Promise<Record<string, unknown>> {
  return JSON.parse((await routed.ask("chat", { body, headers: { "x-dry-run": "1" } })).text) as Record<string, unknown>;
}

describe("default parameters of a route", () => {
  test("are sent where the caller sends none, and count in the hold", async () => {
    expect((await routed.ask("chat")).status).toBe(200);
    expect(first.requests.at(-1)!.body).toMatchObject(DEFAULTS);
    expect((await routed.ask("chat", { body: { temperature: 1, max_completion_tokens: 9 }, stream: true })).status).toBe(200);
    const { body } = first.requests.at(-1)!;
    expect(body).toMatchObject({ temperature: 1, max_completion_tokens: 9, chat_template_kwargs: { enable_thinking: false } });
    expect(body).not.toContainKey("max_tokens");
  });

  test("come from the route that is called", async () => {
    first.does = rejectsWith(500);
    expect((await routed.ask("chat")).status).toBe(200);
    expect(second.requests.at(-1)!.body).toMatchObject({ max_tokens: 20 });
    expect(second.requests.at(-1)!.body).not.toContainKey("temperature");
    first.does = answers;
  });

  test("are mapped as a caller's, and a dropped one is not reported to the caller", async () => {
    const reply = await routed.ask("renamed");
    expect([reply.status, reply.headers.get("x-tollgate-dropped")]).toEqual([200, null]);
    expect(second.requests.at(-1)!.body).toMatchObject({ max_completion_tokens: 7 });
    expect(second.requests.at(-1)!.body).not.toContainAnyKeys(["user", "max_tokens"]);
  });

  test("limit the hold of a request that sets no limit", async () => {
    const byDefault = await explain({});
    const same = await explain({ max_tokens: 50 });
    const longer = await explain({ max_tokens: 51 });
    expect([byDefault["max_tokens"], same["max_tokens"], longer["max_tokens"]]).toEqual([50, 50, 51]);
    // The output costs $0.000002 per token, and `,"max_tokens":50` is 16 bytes of prompt at $0.000001.
    expect(Number(same["hold"]) - Number(byDefault["hold"])).toBeCloseTo(0.000016, 9);
    expect(Number(longer["hold"]) - Number(same["hold"])).toBeCloseTo(0.000002, 9);
  });
});
