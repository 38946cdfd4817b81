import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Gate } from "../money/gate.ts";
import type { Reply } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { answers, FlakyUpstream } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally } from "./routed-gateway.ts";

let gate: Gate;
const bounded = new FlakyUpstream("bounded", async (asked) => {
  await gate.pass();
  return answers(asked);
});
const spare = new FlakyUpstream("spare");
let routed: RoutedGateway;

beforeAll(async () => {
  const concurrency = { max_calls: 2, max_queued: 2, max_wait_ms: 60_000 };
  const places = [{ id: "bounded", port: bounded.port, concurrency }, spare];
  routed = await RoutedGateway.start(
    routesConfig(places, [
      { id: "alone", routes: routesTo([bounded]) },
      { id: "with-spare", routes: routesTo([bounded, spare], true) },
    ]),
  );
});
beforeEach(() => {
  gate = new Gate();
});
afterAll(async () => {
  gate.open();
  await routed.stop();
  await Promise.all([bounded.stop(), spare.stop()]);
});

/** Fills the upstream and its queue. */
async function fill(): Promise<Promise<Reply>[]> {
  const asked = Array.from({ length: 4 }, (_, at) => routed.ask("alone", { stream: at % 2 === 0 }));
  await gate.holds(2);
  await untilQueued(2);
  return asked;
}

async function untilQueued(count: number): Promise<void> {
  await eventually(
    () => routed.gateway.platform<{ queued: number }>("GET", "/api/upstreams/bounded/health"),
    ({ queued }) => queued === count,
  );
}

test("with two slots and a queue of two, the fifth request is rejected at once, and the others are served in order", async () => {
  const asked = await fill();
  const fifth = await routed.ask("alone");
  expect([fifth.status, fifth.code]).toEqual([503, "overloaded"]);
  expect(fifth.headers.get("retry-after")).toBe("1");
  expect(await routed.receipt(fifth)).toMatchObject({ state: "released" });
  expect(gate.waiting).toBe(2);
  gate.open();
  expect(tally((await Promise.all(asked)).map(({ status }) => status))).toEqual({ 200: 4 });
});

test("a client that disconnects in the queue frees its place", async () => {
  const leaving = new AbortController();
  const holding = [routed.ask("alone"), routed.ask("alone")];
  await gate.holds(2);
  const left = routed.ask("alone", { signal: leaving.signal }).catch(() => "left");
  const waiting = routed.ask("alone");
  await untilQueued(2);
  leaving.abort();
  expect(await left).toBe("left");
  await untilQueued(1);
  const next = routed.ask("alone");
  await untilQueued(2);
  gate.open();
  const replies = await Promise.all([...holding, waiting, next]);
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 4 });
});

test("a full route is skipped while another has a free slot", async () => {
  const asked = await fill();
  const reply = await routed.ask("with-spare");
  expect(reply.headers.get("x-tollgate-upstream")).toBe("spare");
  gate.open();
  await Promise.all(asked);
});

test("clients that disconnect at any time leave no slot taken", async () => {
  for (let round = 0; round < 3; round++) {
    const leaving = new AbortController();
    const asked = Array.from({ length: 4 }, (_, at) =>
      routed.ask("alone", { stream: at % 2 === 0, signal: leaving.signal }).catch(() => undefined),
    );
    await gate.holds(2);
    await untilQueued(2);
    leaving.abort();
    await Promise.all(asked);
    await eventually(
      () => routed.gateway.platform<{ in_flight: number; queued: number }>("GET", "/api/upstreams/bounded/health"),
      (health) => health.in_flight === 0 && health.queued === 0,
    );
    gate.open();
    gate = new Gate();
  }
});
