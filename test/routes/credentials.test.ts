import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { answers, FlakyUpstream, rejectsWith, type Behaviour } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally } from "./routed-gateway.ts";

const [ONE, OTHER] = ["credential-number-one", "credential-number-two"] as const;

/** One behaviour for the first credential, another for the second. */
function byCredential(first: Behaviour, second: Behaviour): Behaviour {
  return (asked) => (asked.credential === ONE ? first(asked) : second(asked));
}

const names = ["busy", "back", "both", "refused", "all-refused"] as const;
const upstreams = Object.fromEntries(names.map((name) => [name, new FlakyUpstream(name)])) as Record<(typeof names)[number], FlakyUpstream>;
let routed: RoutedGateway;

beforeAll(async () => {
  const places = names.map((id) => ({ id, port: upstreams[id].port, credentials: [ONE, OTHER] }));
  routed = await RoutedGateway.start(
    routesConfig(
      places,
      names.map((id) => ({ id, routes: routesTo([{ id }]) })),
    ),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});

/** How many times each credential was used. */
function used({ requests }: FlakyUpstream): Record<string, number> {
  return tally(requests.map(({ credential }) => credential));
}

test.concurrent("a rate-limited credential has a cooldown as long as Retry-After, and the other serves all requests", async () => {
  upstreams.busy.does = byCredential(rejectsWith(429, { "retry-after": "600" }), answers);
  const replies = await routed.askTimes("busy", 60);
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 60 });
  // The requests that were in flight with this credential at its first failure.
  expect(used(upstreams.busy)[ONE]).toBeWithin(1, 7);
  expect(used(upstreams.busy)[OTHER]).toBe(60);
});

test.concurrent("a credential is used again after its cooldown", async () => {
  let refusals = 0;
  upstreams.back.does = (asked) =>
    asked.credential === ONE && refusals++ === 0 ? rejectsWith(429, { "retry-after-ms": "700" })(asked) : answers(asked);
  await routed.askTimes("back", 20);
  await eventually(
    () => routed.ask("back").then(() => used(upstreams.back)[ONE]!),
    (uses) => uses > 8,
    { everyMs: 20 },
  );
});

test.concurrent("where both are in cooldown, the one that ends first is tried", async () => {
  upstreams.both.does = byCredential(rejectsWith(429, { "retry-after": "30" }), rejectsWith(429, { "retry-after": "300" }));
  expect((await routed.ask("both")).status).toBe(503);
  upstreams.both.does = answers;
  const before = upstreams.both.calls;
  const replies = await routed.askTimes("both", 10);
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 10 });
  const late = upstreams.both.requests.slice(before);
  expect(tally(late.map(({ credential }) => credential))).toEqual({ [ONE]: 10 });
});

test.concurrent("a rejected credential is skipped, and no client sees an error", async () => {
  upstreams.refused.does = byCredential(rejectsWith(401), answers);
  const replies = await routed.askTimes("refused", 40, (at) => ({ stream: at % 2 === 0 }));
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 40 });
  // After a minute the credential is used again: on a slow machine, once more.
  expect(used(upstreams.refused)[ONE]).toBeWithin(1, 13);
});

test.concurrent("where all credentials are rejected, clients receive an upstream error, not a 401", async () => {
  upstreams["all-refused"].does = byCredential(rejectsWith(401), rejectsWith(403));
  const reply = await routed.ask("all-refused");
  expect([reply.status, reply.code]).toEqual([502, "upstream_error"]);
  expect(reply.headers.get("x-tollgate-attempts")).toBe("2");
  expect(await routed.receipt(reply)).toMatchObject({
    state: "released",
    failed_attempts: [{ fault: "credential" }, { fault: "credential" }],
  });
});
