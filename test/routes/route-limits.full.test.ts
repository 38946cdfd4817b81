import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { answers, FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, tally, type CallOptions } from "./routed-gateway.ts";

const limited = new FlakyUpstream("limited");
const spare = new FlakyUpstream("spare");
let routed: RoutedGateway;

const to = (upstream: string, model: string, more: object): Record<string, unknown> => ({ upstream, model, ...more });

/** Two processes: a limit applies to both together. */
beforeAll(async () => {
  const models = [
    { id: "requests", routes: [to("limited", "a", { limits: { requests_per_minute: 3 } }), to("spare", "a", { priority: 2 })] },
    { id: "both", routes: ["limited", "spare"].map((id) => to(id, "b", { limits: { requests_per_minute: 2 } })) },
    { id: "tokens", routes: [to("limited", "c", { limits: { tokens_per_minute: 1000 } })] },
    { id: "failing", routes: [to("limited", "d", { limits: { requests_per_minute: 1 } }), to("spare", "d", { priority: 2 })] },
  ];
  routed = await RoutedGateway.start(routesConfig([limited, spare], models), { TOLLGATE_PROCESSES: "2" });
});
afterAll(async () => {
  await routed.stop();
  await Promise.all([limited.stop(), spare.stop()]);
});

async function explain(model: string): Promise<{ status: number; routes: { upstream: string; standing: string }[] }> {
  return JSON.parse((await routed.ask(model, { headers: { "x-dry-run": "1" } })).text) as Awaited<ReturnType<typeof explain>>;
}

describe("rate limits of a route", () => {
  test("overflow to the next route, exactly at the limit over all processes", async () => {
    const replies = await routed.askTimes("requests", 12);
    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 12 });
    expect(tally(replies.map(({ headers }) => headers.get("x-tollgate-upstream")))).toEqual({ limited: 3, spare: 9 });
    expect(tally(replies.map(({ headers }) => headers.get("x-tollgate-attempts")))).toEqual({ 1: 12 });
  });

  test("reject a request only when every route has reached them, without a charge", async () => {
    const replies = await routed.askTimes("both", 6);
    expect(tally(replies.map(({ status, code }) => `${status} ${code ?? ""}`))).toEqual({ "200 ": 4, "503 overloaded": 2 });
    const rejected = replies.find(({ status }) => status === 503)!;
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    // A process sends its entries to the owner a moment later.
    const receipt = await eventually(
      () => routed.receipt(rejected).catch((): Record<string, unknown> => ({ state: "open" })),
      ({ state }) => state !== "open",
    );
    expect(receipt).toMatchObject({ state: "released", charged: "0.00" });
    expect(rejected.headers.get("x-tollgate-attempts")).toBeNull();
  });

  test("reserve the tokens of a request, and count those that it has used", async () => {
    const small: CallOptions = { body: { max_tokens: 100 } };
    const used = await routed.askTimes("tokens", 3, () => small);
    expect(used.map(({ status }) => status)).toEqual([200, 200, 200]);
    // The request alone exceeds the limit: it must wait until no other request counts.
    expect(await routed.ask("tokens", { body: { max_tokens: 5000 } })).toMatchObject({ status: 503, code: "overloaded" });
    expect((await routed.ask("tokens", small)).status).toBe(200);
  });

  test("count a failed attempt, which the provider has counted too", async () => {
    limited.does = rejectsWith(500);
    expect((await routed.ask("failing")).headers.get("x-tollgate-attempts")).toBe("2");
    limited.does = answers;
    expect((await routed.ask("failing")).headers.get("x-tollgate-upstream")).toBe("spare");
  });

  test("are in a dry run", async () => {
    // Each process learns about the limit when it reaches it.
    const plan = await eventually(
      async () => {
        await routed.askTimes("both", 6);
        return explain("both");
      },
      ({ status }) => status === 503,
    );
    expect([plan.status, plan.routes.map(({ standing }) => standing)]).toEqual([503, ["rate_limited", "rate_limited"]]);
  });
});
