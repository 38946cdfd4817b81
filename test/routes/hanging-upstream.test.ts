import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Reply } from "../money/post-chat.ts";
import { eventually } from "../support/eventually.ts";
import { FlakyUpstream, hangs } from "./flaky-upstream.ts";
import { RoutedGateway, routesConfig, routesTo, tally, type CallOptions } from "./routed-gateway.ts";

const TIMEOUT_MS = 1000;

/** Shorter than the default timeouts for a JSON response and for the first byte. */
const BOUND_MS = 110_000;

const upstreams = ["json", "stream", "patience", "shared", "client"].map((model) =>
  [0, 1, 2].map((at) => new FlakyUpstream(`${model}-${at}`)),
);
const [ofJson, ofStreams, ofPatience, ofShared, ofClient] = upstreams as [
  FlakyUpstream[],
  FlakyUpstream[],
  FlakyUpstream[],
  FlakyUpstream[],
  FlakyUpstream[],
];
let routed: RoutedGateway;

beforeAll(async () => {
  for (const [hanging] of upstreams) hanging!.does = hangs;
  // Of the upstreams that share the load, only the hanging one has the short timeout: on a machine that stalls, the others may be slow too.
  const timeouts = { total_ms: TIMEOUT_MS };
  const places = upstreams.flat().map(({ id, port }) => (id === ofShared[0]!.id ? { id, port, more: { timeouts } } : { id, port }));
  routed = await RoutedGateway.start(
    routesConfig(places, [
      { id: "json", routes: routesTo(ofJson, true), timeouts: { non_streamed_ms: TIMEOUT_MS } },
      { id: "stream", routes: routesTo(ofStreams, true), timeouts: { first_byte_ms: TIMEOUT_MS } },
      { id: "patience", routes: routesTo(ofPatience, true) },
      { id: "shared", routes: routesTo(ofShared) },
      { id: "client", routes: routesTo(ofClient, true), timeouts: { total_ms: TIMEOUT_MS } },
      { id: "alone", routes: [{ upstream: "json-0", model: "another" }], timeouts: { total_ms: TIMEOUT_MS } },
    ]),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(upstreams.flat().map((upstream) => upstream.stop()));
});

/** Sends requests, and checks that none takes longer than the timeout plus the time of the other upstreams. */
function askWithin(model: string, asking: CallOptions = {}): Promise<Reply> {
  return routed.ask(model, { ...asking, signal: AbortSignal.timeout(BOUND_MS) });
}

/** Retries if a healthy upstream was also too slow, as on a machine that stalls. */
function askServed(model: string): Promise<Reply> {
  return eventually(
    () => askWithin(model, { stream: model === "stream" }),
    ({ status, headers }) => status !== 504 || headers.get("x-tollgate-attempts") === "1",
  );
}

test.concurrent.each([
  ["json", ofJson],
  ["stream", ofStreams],
] as const)(
  "one that hangs is waited for as long as the model's timeout says, and left out after five times (%s)",
  async (model, group) => {
    const startedAt = performance.now();
    const replies: Reply[] = [];
    for (let at = 0; at < 10; at++) replies.push(await askServed(model));
    expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 10 });
    // A slow run has probes: 5 s after the fifth failure, then 10 s, then 20 s later, and so on.
    const probes = Math.floor(Math.log2((performance.now() - startedAt) / 5000 + 1));
    expect(group[0]!.requests.filter(({ body }) => body["model"] === "m").length).toBeWithin(5, 5 + probes + 1);
    const hung = replies.find(({ headers }) => headers.get("x-tollgate-attempts") === "2");
    const receipt = await routed.receipt(hung!);
    expect(receipt).toMatchObject({ state: "settled", attempts: 2, failed_attempts: [{ upstream: `${model}-0`, fault: "slow" }] });
  },
  300_000,
);

test.concurrent("of three upstreams that share the load, one that hangs delays few requests, and none longer than its timeout", async () => {
  const replies = (await Promise.all(Array.from({ length: 12 }, () => askInTurn("shared", 8)))).flat();
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: 96 });
  expect(ofShared[0]!.calls).toBeWithin(1, 24);
}, 300_000);

async function askInTurn(model: string, times: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let at = 0; at < times; at++) replies.push(await askWithin(model));
  return replies;
}

test.concurrent("returns 504 at the timeout where the only upstream hangs", async () => {
  const reply = await askWithin("alone");
  expect([reply.status, reply.code]).toEqual([504, "upstream_timeout"]);
  expect(reply.headers.get("x-tollgate-attempts")).toBe("1");
});

test.concurrent("returns 504 at the client's deadline, and makes no call after it", async () => {
  const reply = await askWithin("patience", { headers: { "x-timeout-ms": "1500" } });
  expect([reply.status, reply.code]).toEqual([504, "upstream_timeout"]);
  expect(reply.headers.get("x-tollgate-upstream")).toBe("patience-0");
  expect(reply.headers.get("x-tollgate-attempts")).toBe("1");
  // Like a disconnected client, this client pays for the prompt, which the upstream has read.
  const receipt = await eventually(
    () => routed.receipt(reply),
    ({ state }) => state !== "open",
  );
  expect(receipt).toMatchObject({
    state: "settled",
    reason: "the client's timeout was exceeded",
    provenance: "estimated",
    failed_attempts: [],
  });
  const { signal } = ofPatience[0]!.requests.at(-1)!;
  await eventually(
    () => signal.aborted,
    (aborted) => aborted,
  );
  expect(ofPatience.slice(1).map(({ calls }) => calls)).toEqual([0, 0]);
});

test.concurrent("a client with a timeout of its own is not cut off, but no new attempt is made for it", async () => {
  const reply = await askWithin("client", { headers: { "x-stainless-timeout": "0.9" } });
  // The upstream's timeout ended the request, later than the client's timeout.
  expect([reply.status, reply.headers.get("x-tollgate-attempts")]).toEqual([504, "1"]);
  expect(ofClient.map(({ calls }) => calls)).toEqual([1, 0, 0]);
  const receipt = await routed.receipt(reply);
  expect(receipt).toMatchObject({ state: "released", failed_attempts: [{ upstream: "client-0", fault: "slow" }] });
});

test.concurrent("the client's deadline ends a stream only before its first token", async () => {
  const reply = await askWithin("patience", { stream: true, headers: { "x-timeout-ms": "1500" } });
  expect([reply.status, reply.code]).toEqual([504, "upstream_timeout"]);
});

test.concurrent("rejects an invalid deadline, without a charge", async () => {
  const reply = await askWithin("patience", { headers: { "x-timeout-ms": "soon" } });
  expect([reply.status, reply.code]).toEqual([400, "invalid_value"]);
  // The request is rejected before the hold.
  expect(await routed.receipt(reply).catch(String)).toContain("unknown_request");
});
