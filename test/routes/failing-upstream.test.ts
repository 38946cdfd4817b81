import { afterAll, beforeAll, expect, test } from "bun:test";
import { completion } from "../mock-upstream.ts";
import { eventually } from "../streams/eventually.ts";
import { answers, FickleUpstream, refuses, type Doing } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally } from "./routed-gateway.ts";

/** Breaks one of the upstreams of a model, and gives what mends it. */
type Break = (upstream: FickleUpstream) => Promise<() => void> | (() => void);

function doing(does: Doing): Break {
  return (upstream) => {
    upstream.does = does;
    return () => void (upstream.does = answers);
  };
}

const BREAKS: Readonly<Record<string, Break>> = {
  "fails every call": doing(refuses(500)),
  "refuses connections": (upstream) => upstream.shut(),
  "is always busy": doing(refuses(429)),
  "answers with garbage": doing(() => new Response("<html>It works!</html>", { headers: { "content-type": "text/html" } })),
  "ends its streams before the first word": doing(({ body }) =>
    body["stream"] === true
      ? new Response("", { headers: { "content-type": "text/event-stream" } })
      : Response.json(completion({}, { choices: 7 })),
  ),
};

const names = Object.keys(BREAKS);
const upstreams = names.map((_, model) => [0, 1, 2].map((at) => new FickleUpstream(`up-${model}-${at}`)));
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
    const [broken, ...others] = upstreams[model]! as [FickleUpstream, ...FickleUpstream[]];
    const mend = await BREAKS[name]!(broken);
    const replies = await routed.askTimes(`model-${model}`, REQUESTS, (at) => ({ stream: at % 2 === 0 }));

    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: REQUESTS });
    expect(replies.every(({ text }) => text.includes("world"))).toBe(true);
    const attempts = replies.reduce((sum, { headers }) => sum + Number(headers.get("x-tollgate-attempts")), 0);
    expect(attempts).toBeGreaterThan(REQUESTS);
    expect(attempts).toBeLessThanOrEqual(1.2 * REQUESTS);
    // Five of its failures were enough, and those that were under way meanwhile. A slow run has probes in it.
    expect(attempts - REQUESTS).toBeLessThan(30);

    mend();
    const before = broken.calls;
    await eventually(
      () => routed.ask(`model-${model}`).then(() => broken.calls),
      (calls) => calls > before,
      { everyMs: 100 },
    );
    const here = others.map(({ calls }) => calls);
    // One that was slow for a moment, as on a machine that stalls, has fewer calls for a while.
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
