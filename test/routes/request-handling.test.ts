import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answers, FlakyUpstream, hangs } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo } from "./routed-gateway.ts";

const plain = new FlakyUpstream("plain");
const other = new FlakyUpstream("other");
let routed: RoutedGateway;

/** A route with a price cap but without a published price: the two cannot be compared. */
const CAPPED = { upstream: "other", model: "m", max_price: { input_per_million: 1000 } };

beforeAll(async () => {
  const routes = routesTo([plain]);
  routed = await RoutedGateway.start(
    routesConfig(
      [plain, other],
      [
        {
          id: "policy",
          routes,
          parameters: { seed: "pass", user: "drop", logit_bias: "refuse", max_completion_tokens: { rename: "max_tokens" } },
        },
        { id: "strict", routes, unknown_parameters: "refuse", parameters: { mirostat: "pass" } },
        { id: "lenient", routes, unknown_parameters: "drop" },
        { id: "capped", routes: [CAPPED, { upstream: "plain", model: "m", priority: 2 }] },
        { id: "only-capped", routes: [CAPPED] },
        { id: "hasty", routes, timeouts: { total_ms: 100 } },
        { id: "patient", routes },
      ],
    ),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all([plain.stop(), other.stop()]);
});

describe("a parameter", () => {
  test("is passed, renamed or dropped by the policy of the model, and the reply names dropped ones", async () => {
    const reply = await routed.ask("policy", { body: { seed: 7, user: "anna", max_completion_tokens: 50, top_p: 0.5 } });
    expect(reply.status).toBe(200);
    expect(reply.headers.get("x-tollgate-dropped")).toBe("user");
    const { body } = plain.requests.at(-1)!;
    expect(body).toMatchObject({ seed: 7, max_tokens: 50, top_p: 0.5 });
    expect(body).not.toContainKeys(["user", "max_completion_tokens"]);
  });

  test("that is unknown is rejected, dropped or passed by the policy of the model", async () => {
    const refused = await routed.ask("strict", { body: { top_k: 3, mirostat: 2 } });
    expect(refused).toMatchObject({ status: 400, code: "unsupported_parameter" });
    expect(refused.text).toContain("top_k is not supported by this model.");
    expect((await routed.ask("strict", { body: { mirostat: 2, metadata: {} } })).status).toBe(200);
    expect(plain.requests.at(-1)!.body).toMatchObject({ mirostat: 2, metadata: {} });
    const dropped = await routed.ask("lenient", { body: { top_k: 3, mirostat: 2 } });
    expect([dropped.status, dropped.headers.get("x-tollgate-dropped")]).toEqual([200, "top_k, mirostat"]);
    expect(plain.requests.at(-1)!.body).not.toContainAnyKeys(["top_k", "mirostat"]);
  });

  test("that is required and unsupported is rejected by name, without a charge", async () => {
    const before = plain.calls;
    const reply = await routed.ask("policy", { body: { logit_bias: { 7: 100 } } });
    expect([reply.status, reply.code]).toEqual([400, "unsupported_parameter"]);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { param: "logit_bias" } });
    expect(plain.calls).toBe(before);
    expect(await routed.receipt(reply)).toMatchObject({ state: "released", charged: "0.00" });
  });
});

describe("a price cap", () => {
  test("excludes a route", async () => {
    const reply = await routed.ask("capped");
    expect(reply.headers.get("x-tollgate-upstream")).toBe("plain");
    expect(other.calls).toBe(0);
  });

  test("on the only route makes the model unavailable", async () => {
    const reply = await routed.ask("only-capped");
    expect([reply.status, reply.code]).toEqual([503, "no_upstream_available"]);
    expect(reply.headers.get("retry-after")).toBe("5");
    expect(reply.headers.get("x-tollgate-upstream")).toBeNull();
  });
});

test("timeouts are the model's own: another model waits longer for the same upstream", async () => {
  plain.does = hangs;
  expect((await routed.ask("hasty")).status).toBe(504);
  plain.does = async (asked) => {
    await Bun.sleep(400);
    return answers(asked);
  };
  expect((await routed.ask("patient")).status).toBe(200);
  plain.does = answers;
});
