import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion } from "../support/upstreams/mock-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { answers, FlakyUpstream, rejectsWith, type Behaviour } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally } from "./routed-gateway.ts";

/** Makes one of the upstreams of a model fail, and returns a function that repairs it. */
type Break = (upstream: FlakyUpstream) => Promise<() => void> | (() => void);

function behaviour(does: Behaviour): Break {
  return (upstream) => {
    upstream.does = does;
    return () => void (upstream.does = answers);
  };
}

const BREAKS: Readonly<Record<string, Break>> = {
  "fails every call": behaviour(rejectsWith(500)),
  "refuses connections": (upstream) => upstream.shut(),
  "is always busy": behaviour(rejectsWith(429)),
  "answers with garbage": behaviour(() => new Response("<html>It works!</html>", { headers: { "content-type": "text/html" } })),
  "ends its streams before the first word": behaviour(({ body }) =>
    body["stream"] === true
      ? new Response("", { headers: { "content-type": "text/event-stream" } })
      : Response.json(completion({}, { choices: 7 })),
  ),
};

const names = Object.keys(BREAKS);
const upstreams = names.map((_, model) => [0, 1, 2].map((at) => new FlakyUpstream(`up-${model}-${at}`)));
let routed: RoutedGateway;

beforeAll(async () => {
  const models = upstreams.map((group, at) => ({ id: `model-${at}`, routes: routesTo(group) }));
  routed = await RoutedGateway.start(routesConfig(upstreams.flat(), models));
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(upstreams.flat().map((upstream) => upstream.stop()));
});

const REQUESTS = 300;

test.concurrent.each(names)(
  "of three upstreams, one that %s costs no caller anything, and is back when it is mended",
  async (name) => {
    const model = names.indexOf(name);
    const [broken, ...others] = upstreams[model]! as [FlakyUpstream, ...FlakyUpstream[]];
    const mend = await BREAKS[name]!(broken);
    const replies = await routed.askTimes(`model-${model}`, REQUESTS, (at) => ({ stream: at % 2 === 0 }));

    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: REQUESTS });
    expect(replies.every(({ text }) => text.includes("world"))).toBe(true);
    const attempts = replies.reduce((sum, { headers }) => sum + Number(headers.get("x-tollgate-attempts")), 0);
    expect(attempts).toBeGreaterThan(REQUESTS);
    expect(attempts).toBeLessThanOrEqual(1.2 * REQUESTS);
    // Five failures, and the requests that were in flight meanwhile. A slow run also has probes.
    expect(attempts - REQUESTS).toBeLessThan(30);

    mend();
    const before = broken.calls;
    await eventually(
      () => routed.ask(`model-${model}`).then(() => broken.calls),
      (calls) => calls > before,
      { everyMs: 100 },
    );
    const here = others.map(({ calls }) => calls);
    // A route that was slow for a moment, as on a machine that stalls, receives fewer calls for a while.
    await eventually(
      async () => {
        const later = await routed.askTimes(`model-${model}`, 60);
        expect(tally(later.map(({ status, headers }) => `${status} in ${headers.get("x-tollgate-attempts")}`))).toEqual({ "200 in 1": 60 });
        return broken.calls - before > 6 && others.every(({ calls }, at) => calls > here[at]!);
      },
      (areAllUsed) => areAllUsed,
    );
  },
  300_000,
);
