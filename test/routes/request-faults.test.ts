import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answers, FlakyUpstream, rejectsWith, type Behaviour } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, tally, type ModelTerms } from "./routed-gateway.ts";

const REASON = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj";

function hasImage(body: Record<string, unknown>): boolean {
  return JSON.stringify(body["messages"]).includes("image_url");
}

/** A llama.cpp server without a vision model. */
const textOnly: Behaviour = (asked) => {
  if (!hasImage(asked.body)) return answers(asked);
  return Response.json({ error: { code: 500, message: REASON, type: "server_error" } }, { status: 500 });
};

/** Rejects requests for one of its models with this status. */
function limits(model: string, status: number): Behaviour {
  return (asked) => (asked.body["model"] === model ? rejectsWith(status, { "retry-after": "300" })(asked) : answers(asked));
}

const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const WITH_IMAGE = { messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, IMAGE] }] };

const rack = new FlakyUpstream("rack", textOnly);
const backup = new FlakyUpstream("backup");
const limited = new FlakyUpstream("limited", limits("large", 429));
const refused = new FlakyUpstream("refused", limits("large", 401));
const lasting = new FlakyUpstream("lasting");
const all = [rack, backup, limited, refused, lasting];
let routed: RoutedGateway;

/** A model with one route. */
function one(id: string, upstream: string, model: string): ModelTerms {
  return { id, routes: [{ upstream, model }] };
}

beforeAll(async () => {
  const models = [
    one("vision", "rack", "llama"),
    one("vision-with-backup", "rack", "llama"),
    one("text", "rack", "llama"),
    ...["limited", "refused"].flatMap((id) => ["large", "small"].map((model) => one(`${id}-${model}`, id, model))),
    ...[401, 402, 403, 404, 504, 500].map((status) => one(`lasting-${status}`, "lasting", `m-${status}`)),
  ];
  const second = { upstream: "backup", model: "m", priority: 2 };
  routed = await RoutedGateway.start(
    routesConfig(
      all,
      models.map((model) => (/^(text|vision-with-backup)$/.test(model.id) ? { ...model, routes: [...model.routes, second] } : model)),
    ),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(all.map((upstream) => upstream.stop()));
});

describe("images sent to a text-only server", () => {
  test("are the client's error, with the server's message, after one call each, and do not eject it for text", async () => {
    const before = rack.calls;
    for (let at = 0; at < 8; at++) {
      const reply = await routed.ask("vision", { body: WITH_IMAGE, stream: at % 2 === 0 });
      expect([reply.status, reply.code]).toEqual([400, "invalid_value"]);
      expect(reply.text).toContain(REASON);
    }
    expect(rack.calls - before).toBe(8);
    const replies = await routed.askTimes("text", 10);
    expect(tally(replies.map(({ headers }) => headers.get("x-tollgate-upstream")))).toEqual({ rack: 10 });
    const { models } = await routed.gateway.platform<{ models: object[] }>("GET", "/api/upstreams/rack/health");
    expect(models).toMatchObject([{ model: "llama", state: "healthy", recent_failures: 0 }]);
  });

  test("are served by another route where there is one, and the receipt says why", async () => {
    const reply = await routed.ask("vision-with-backup", { body: WITH_IMAGE });
    expect([reply.status, reply.headers.get("x-tollgate-upstream")]).toEqual([200, "backup"]);
    expect(await routed.receipt(reply)).toMatchObject({ attempts: 2, failed_attempts: [{ upstream: "rack", fault: "unsupported" }] });
  });
});

describe("an upstream's", () => {
  test.each([401, 402, 403, 404, 504])("%i is not retried, and the reply has x-should-retry: false", async (status) => {
    lasting.does = rejectsWith(status);
    const before = lasting.calls;
    const reply = await routed.ask(`lasting-${status}`);
    expect([reply.status, reply.headers.get("x-should-retry")]).toEqual([status === 504 ? 504 : 502, "false"]);
    expect(lasting.calls - before).toBe(1);
  });

  test("500 is retried once, and clients may retry", async () => {
    lasting.does = rejectsWith(500);
    const before = lasting.calls;
    const reply = await routed.ask("lasting-500");
    expect([reply.status, reply.headers.get("x-should-retry")]).toEqual([502, null]);
    expect(lasting.calls - before).toBe(2);
  });
});

describe("a model of an upstream that shares its credential with another", () => {
  test("has a cooldown of its own after a 429", async () => {
    expect((await routed.ask("limited-large")).status).toBe(503);
    const replies = await routed.askTimes("limited-small", 10);
    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 10 });
    const plan = await routed.ask("limited-small", { headers: { "x-dry-run": "1" } });
    expect(plan.text).toContain('"standing":"ready"');
    const cooling = await routed.ask("limited-large", { headers: { "x-dry-run": "1" } });
    expect(cooling.text).toContain('"standing":"cooling"');
    expect(await routed.gateway.platform<object>("GET", "/api/upstreams/limited/health")).toMatchObject({
      credentials: [{ reason: "busy", models: [{ model: "large" }] }],
    });
  });

  test("has a cooldown of the credential after a 401", async () => {
    expect((await routed.ask("refused-large")).status).toBe(502);
    const cooling = await routed.ask("refused-small", { headers: { "x-dry-run": "1" } });
    expect(cooling.text).toContain('"standing":"cooling"');
  });
});
