import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { answers, FlakyUpstream, rejectsWith } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally, type CallOptions } from "./routed-gateway.ts";

const three = (name: string): FlakyUpstream[] => [0, 1, 2].map((at) => new FlakyUpstream(`${name}-${at}`));
const groups = { sticky: three("sticky"), priorities: three("priorities"), weights: three("weights"), spread: three("spread") };
const all = Object.values(groups).flat();
let routed: RoutedGateway;

beforeAll(async () => {
  const [nine, one] = groups.weights as [FlakyUpstream, FlakyUpstream];
  routed = await RoutedGateway.start(
    routesConfig(all, [
      { id: "sticky", routes: routesTo(groups.sticky), sticky: true },
      { id: "priorities", routes: routesTo(groups.priorities, true) },
      ...Array.from({ length: ROUNDS }, (_, at) => ({
        id: `weights-${at}`,
        routes: [
          { upstream: nine.id, model: `m-${at}`, weight: 9 },
          { upstream: one.id, model: `m-${at}`, weight: 1 },
        ],
      })),
      ...Array.from({ length: ROUNDS }, (_, at) => ({
        id: `spread-${at}`,
        routes: groups.spread.map(({ id }) => ({ upstream: id, model: `m-${at}` })),
      })),
    ]),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(all.map((upstream) => upstream.stop()));
});

/** The number of rounds. Each has new models with the same routes, whose health has no history. */
const ROUNDS = 20;

/** A turn of a conversation: the start is the same, and each turn is longer. */
function turn(conversation: number, number: number): CallOptions {
  const later = Array.from({ length: number }, (_, at) => [
    { role: "assistant", content: `answer ${at}` },
    { role: "user", content: `question ${at}` },
  ]).flat();
  const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: `conversation ${conversation}` }, ...later];
  return { body: { messages }, stream: number % 2 === 1 };
}

async function placeOf(conversation: number, number: number): Promise<string> {
  const reply = await routed.ask("sticky", turn(conversation, number));
  expect(reply.status).toBe(200);
  return reply.headers.get("x-tollgate-upstream")!;
}

test.concurrent("a conversation stays at one upstream, moves while it is ejected, and returns", async () => {
  const conversations = Array.from({ length: 30 }, (_, at) => at);
  const homes = await Promise.all(conversations.map((each) => placeOf(each, 0)));
  expect(Object.keys(tally(homes)).length).toBe(3);
  for (const number of [1, 2]) {
    expect(await Promise.all(conversations.map((each) => placeOf(each, number)))).toEqual(homes);
  }

  const [fallen] = groups.sticky as [FlakyUpstream];
  fallen.does = rejectsWith(500);
  const meanwhile = await Promise.all(conversations.map((each) => placeOf(each, 3)));
  meanwhile.forEach((place, at) => {
    if (homes[at] === fallen.id) expect(place).not.toBe(fallen.id);
    else expect(place).toBe(homes[at]!);
  });

  fallen.does = answers;
  await eventually(
    () => Promise.all(conversations.map((each) => placeOf(each, 4))),
    (places) => places.every((place, at) => place === homes[at]),
    { everyMs: 200 },
  );
}, 300_000);

test.concurrent("the second priority is used only while the first is ejected, and the third only while the second is too", async () => {
  const [first, second, third] = groups.priorities as [FlakyUpstream, FlakyUpstream, FlakyUpstream];
  await routed.askTimes("priorities", 40);
  expect([first.calls, second.calls, third.calls]).toEqual([40, 0, 0]);
  first.does = rejectsWith(500);
  await routed.askTimes("priorities", 40);
  expect([second.calls, third.calls]).toEqual([40, 0]);
  expect(first.calls).toBeLessThan(40 + 15);
  second.does = rejectsWith(500);
  await routed.askTimes("priorities", 20);
  expect(third.calls).toBe(20);
  first.does = answers;
  await eventually(
    () => routed.ask("priorities").then(({ headers }) => headers.get("x-tollgate-upstream")),
    (place) => place === first.id,
    { everyMs: 100 },
  );
  const before = first.calls;
  await routed.askTimes("priorities", 20);
  expect(first.calls - before).toBe(20);
}, 300_000);

test.concurrent("weights of nine to one hold over a thousand calls at equal latency", async () => {
  const [nine, one] = groups.weights as [FlakyUpstream, FlakyUpstream];
  const calls = await callsOf([nine, one], "weights", 1000, ([, ofOne]) => ofOne! >= 60 && ofOne! < 150);
  expect(calls[0]! + calls[1]!).toBe(1000);
  expect(calls[1]).toBeWithin(60, 150);
}, 300_000);

const isSpread = (calls: readonly number[]): boolean => calls.every((each) => each >= 50 && each < 200);

test.concurrent("calls without a conversation are spread over the routes of a priority", async () => {
  expect(await callsOf(groups.spread, "spread", 300, isSpread)).toSatisfy(isSpread);
}, 300_000);

/**
 * The number of calls that each upstream receives. An upstream that is slow for a moment receives fewer calls for ten seconds. On a machine
 * that stalls this may be any upstream, and then the calls are repeated with a new model, which has no history.
 */
async function callsOf(
  upstreams: readonly FlakyUpstream[],
  model: string,
  times: number,
  isAsWished: (calls: readonly number[]) => boolean,
): Promise<number[]> {
  let calls: number[] = [];
  for (let round = 0; round < ROUNDS && (round === 0 || !isAsWished(calls)); round++) {
    const before = upstreams.map((upstream) => upstream.calls);
    await routed.askTimes(`${model}-${round}`, times);
    calls = upstreams.map((upstream, at) => upstream.calls - before[at]!);
  }
  return calls;
}
