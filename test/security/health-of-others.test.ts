import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { chatBody, postChat, type Reply } from "../money/post-chat.ts";
import { answers, FlakyUpstream, rejectsWith, type Behaviour } from "../routes/flaky-upstream.ts";
import { routesConfig } from "../routes/routed-gateway.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** An account whose requests fail must not move other accounts' requests to the fallback, which costs 100 times as much. */

const cheap = new FlakyUpstream("cheap");
const expensive = new FlakyUpstream("expensive");
let gateway: RunningGateway;
let attacker: string;
let victim: string;

const POISON = "poison";

beforeAll(async () => {
  expensive.does = answers;
  const models = Array.from({ length: 4 }, (_, at) => ({
    id: `model-${at}`,
    routes: [
      { upstream: "cheap", model: `m${at}`, priority: 1 },
      { upstream: "expensive", model: `m${at}`, priority: 2 },
    ],
  }));
  gateway = await startGateway({ yaml: routesConfig([cheap, expensive], models) });
  ({ key: victim } = await gateway.makeKey());
  await gateway.platform("POST", "/api/accounts", { id: "attacker", name: "Attacker" });
  await gateway.platform("POST", "/api/accounts/attacker/grants", { amount: "10", reference: "first", reason: "test" });
  ({ key: attacker } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: "a", account: "attacker", models: ["*"] }));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([cheap.stop(), expensive.stop()]);
});
beforeEach(() => {
  cheap.requests.length = 0;
});

/** Applies the behaviour only to a poisoned prompt; other prompts are answered. */
function toPoison(behaviour: Behaviour): Behaviour {
  return (asked) => (JSON.stringify(asked).includes(POISON) ? behaviour(asked) : answers(asked));
}

function attack(model: string): Promise<Reply> {
  return postChat(gateway, attacker, chatBody(model, { messages: [{ role: "user", content: POISON }] }));
}

async function routeOfVictim(model: string): Promise<string | null> {
  const { status, headers } = await postChat(gateway, victim, chatBody(model));
  expect(status).toBe(200);
  return headers.get("x-tollgate-upstream");
}

test("a prompt that a firewall answers with a page is a rejected request", async () => {
  cheap.does = toPoison(() => new Response("<html><head><title>Blocked</title></head></html>", { status: 403 }));
  expect(await attack("model-0")).toMatchObject({ status: 400 });
  expect([await routeOfVictim("model-0"), await routeOfVictim("model-1")]).toEqual(["cheap", "cheap"]);
});

test("prompts by which the upstream fails eject the route for their account alone", async () => {
  cheap.does = toPoison(rejectsWith(500));
  for (let at = 0; at < 12; at++) await attack("model-2");
  expect((await attack("model-2")).headers.get("x-tollgate-upstream")).toBe("expensive");
  expect(await routeOfVictim("model-2")).toBe("cheap");
});

test("prompts by which the upstream rejects the credential start a cooldown for their account alone", async () => {
  cheap.does = toPoison(rejectsWith(403));
  for (let at = 0; at < 3; at++) await attack("model-3");
  expect((await attack("model-3")).headers.get("x-tollgate-upstream")).toBe("expensive");
  expect([await routeOfVictim("model-3"), await routeOfVictim("model-1")]).toEqual(["cheap", "cheap"]);
});
