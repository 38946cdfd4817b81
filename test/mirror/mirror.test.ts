import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LoggedRequestInFull, MirrorReport } from "../../platform-client/types.ts";
import { answers, FlakyUpstream, hangs, rejectsWith } from "../routes/flaky-upstream.ts";
import { RoutedGateway, routesConfig, tally } from "../routes/routed-gateway.ts";
import { Scrape } from "../metrics/scrape.ts";
import { eventually } from "../support/eventually.ts";
import { parseDollars } from "../../src/money/money.ts";
import { chunk, completion, events, GOOD_CHUNKS, manualStream, rawEvents, USAGE } from "../support/upstreams/mock-upstream.ts";

/** The maximum number of calls in flight to a hanging mirror. */
const MAX_IN_FLIGHT = 32;

const serving = new FlakyUpstream("serving");
const mirrors = ["other", "broken", "failing", "hanging", "skipped", "wild"].map((id) => new FlakyUpstream(id));
const [other, broken, failing, hanging, skipped, wild] = mirrors as [
  FlakyUpstream,
  FlakyUpstream,
  FlakyUpstream,
  FlakyUpstream,
  FlakyUpstream,
  FlakyUpstream,
];
/** The upstream models of models that tests create. */
const others = ["copied", "unused", "unsent", "dead"].map((id) => new FlakyUpstream(id));
const [copied, unused, unsent, dead] = others as [FlakyUpstream, FlakyUpstream, FlakyUpstream, FlakyUpstream];
const all = [serving, ...mirrors, ...others];
let routed: RoutedGateway;

function mirroredTo(upstream: string, more: object = {}): Parameters<typeof routesConfig>[1][number] {
  const routes = [{ upstream: "serving", model: "m" }];
  return { id: `to-${upstream}`, routes, mirror: { upstream, model: "candidate", percent: 100 }, ...more };
}

beforeAll(async () => {
  const models = mirrors.slice(0, 4).map(({ id }) => mirroredTo(id));
  routed = await RoutedGateway.start(
    routesConfig(all, [...models, mirroredTo("skipped", { cache: { ttl_seconds: 60 } }), mirroredTo("wild")]),
  );
});
afterAll(async () => {
  await routed.stop();
  await Promise.all(all.map((upstream) => upstream.stop()));
});

function logged(requestId: string): Promise<LoggedRequestInFull> {
  return routed.gateway.platform("GET", `/api/requests/${requestId}`);
}

/** The request with the result of its mirror, which ends after the request. */
async function mirrored(requestId: string): Promise<NonNullable<LoggedRequestInFull["mirror"]>> {
  const request = await eventually(
    () => logged(requestId).catch(() => undefined),
    (found) => found?.mirror != null,
  );
  return request!.mirror!;
}

async function listedIds(query: string): Promise<string[]> {
  const { data } = await routed.gateway.platform<{ data: LoggedRequestInFull[] }>("GET", `/api/requests?${query}`);
  return data.map(({ request_id: id }) => id);
}

async function drops(reason: string): Promise<number> {
  return (await Scrape.of(routed.gateway)).values("tollgate_mirrored_requests_dropped_total").get(reason)!;
}

test("sends a copy to the mirror, and logs both responses beside each other, without a charge", async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 };
  other.does = () =>
    Response.json({
      ...completion(),
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason: "length" }],
      usage,
    });
  const reply = await routed.ask("to-other", { body: { temperature: 0.5 } });
  expect(await mirrored(reply.requestId)).toMatchObject({
    upstream: "other",
    model: "candidate",
    response: {
      status: 200,
      finish_reason: "stop",
      prompt_tokens: USAGE.prompt_tokens,
      completion_tokens: USAGE.completion_tokens,
      first_byte_ms: null,
    },
    mirror: { status: 200, finish_reason: "length", prompt_tokens: 10, completion_tokens: 6, first_byte_ms: null },
    detail: null,
  });
  expect(other.requests).toMatchObject([{ credential: "credential-of-other", body: { model: "candidate", temperature: 0.5 } }]);
  expect(await routed.receipt(reply)).toMatchObject({ upstream: "serving", attempts: 1 });
  const [listed] = (await routed.gateway.platform<{ data: LoggedRequestInFull[] }>("GET", "/api/requests?model=to-other")).data;
  expect(listed!.mirror!.mirror.finish_reason).toBe("length");

  expect(listed!.request_id).toBe(reply.requestId);

  const streamed = await routed.ask("to-other", { stream: true });
  // The mirror returned JSON although a stream was requested: the copy is the request that the client sent.
  expect((await mirrored(streamed.requestId)).response).toMatchObject({
    status: 200,
    finish_reason: "stop",
    first_byte_ms: expect.any(Number),
  });
  expect(other.requests.at(-1)!.body["stream"]).toBe(true);

  const report = await routed.gateway.platform<MirrorReport>("GET", "/api/models/to-other/mirror");
  expect(report).toMatchObject({ model: "to-other", requests: 2, finished: 2, same_finish_reason: 0, prompt_token_ratio: 2 });
  other.does = answers;
  const equal = await routed.ask("to-other");
  await mirrored(equal.requestId);
  expect(await listedIds("model=to-other&mirror=different")).toEqual([streamed.requestId, reply.requestId]);
  expect(await listedIds("model=to-other&mirror=any")).toEqual([equal.requestId, streamed.requestId, reply.requestId]);
});

test("a mirror whose stream breaks off has no finish reason, and the caller notices nothing", async () => {
  broken.does = () => rawEvents(`data: ${chunk({ role: "assistant", content: "Hel" })}\n\n`);
  const reply = await routed.ask("to-broken", { stream: true });
  expect(reply.text).toEndWith("data: [DONE]\n\n");
  const { mirror, response, detail } = await mirrored(reply.requestId);
  expect([mirror.status, mirror.finish_reason, response.finish_reason]).toEqual([200, null, "stop"]);
  expect(detail).not.toBeNull();
  broken.does = () => events(GOOD_CHUNKS);
  const next = await mirrored((await routed.ask("to-broken", { stream: true })).requestId);
  expect(next.mirror).toMatchObject({ status: 200, finish_reason: "stop", completion_tokens: 2, first_byte_ms: expect.any(Number) });
});

test("a mirror that keeps failing is ejected by a circuit breaker of its own", async () => {
  failing.does = rejectsWith(500);
  const first = await routed.ask("to-failing");
  expect(await mirrored(first.requestId)).toMatchObject({
    mirror: { status: 502 },
    response: { status: 200 },
    detail: expect.stringContaining("500"),
  });
  for (let at = 0; at < 5; at++) await routed.ask("to-failing");
  await eventually(
    async () => {
      expect((await routed.ask("to-failing")).status).toBe(200);
      return drops("ejected");
    },
    (count) => count > 0,
  );
  const { models } = await routed.gateway.platform<{ models: string[] }>("GET", "/api/upstreams/failing");
  expect(models).toEqual(["to-failing"]);
});

test("a mirror that hangs delays nobody: further copies are dropped and counted", async () => {
  hanging.does = hangs;
  const replies = await routed.askTimes("to-hanging", MAX_IN_FLIGHT + 8);
  expect(tally(replies.map(({ status }) => status))).toEqual({ 200: MAX_IN_FLIGHT + 8 });
  expect(
    await eventually(
      () => drops("in_flight"),
      (count) => count >= 8,
    ),
  ).toBe(8);
  await eventually(
    () => hanging.calls,
    (calls) => calls === MAX_IN_FLIGHT,
  );
});

test("mirrors no dry runs, cache hits, idempotent replays and rejected requests", async () => {
  const headers = { "idempotency-key": "once" };
  const body = { temperature: 0 };
  const explain = async (more: object = {}): Promise<unknown> => {
    const { text } = await routed.ask("to-skipped", { headers: { "x-dry-run": "1", ...more }, body });
    return (JSON.parse(text) as { mirror: unknown }).mirror;
  };
  expect(await explain()).toEqual({ upstream: "skipped", percent: 100 });
  await routed.ask("to-skipped", { body: { max_tokens: -1 } });
  const miss = await routed.ask("to-skipped", { body });
  await mirrored(miss.requestId);
  const hit = await routed.ask("to-skipped", { body });
  expect([hit.headers.get("x-tollgate-cache"), await explain()]).toEqual(["hit", null]);
  const made = await routed.ask("to-skipped", { headers, body: { seed: 1 } });
  await mirrored(made.requestId);
  await routed.ask("to-skipped", { headers, body: { seed: 1 } });
  const last = await routed.ask("to-skipped", { body: { seed: 2 } });
  await mirrored(last.requestId);
  expect(await explain({ "x-max-cost": "0.000000001" })).toBeNull();
  expect(skipped.calls).toBe(3);
  expect((await logged(hit.requestId)).mirror).toBeNull();
});

/** Declares a new model, with a mirror that no other test calls. */
async function declare(id: string, terms: object): Promise<void> {
  const price = { input_per_million: 1, output_per_million: 2 };
  await routed.gateway.platform("POST", "/api/models", { id, routes: [{ upstream: "serving", model: id }], price, ...terms });
}

const mirrorTo = (upstream: string): object => ({ mirror: { upstream, model: "candidate", percent: 100 } });

test("with fallbacks, the mirror of the requested model receives one copy, whichever model answers", async () => {
  await declare("spare", mirrorTo("unused"));
  await declare("with-spare", { ...mirrorTo("copied"), fallback_models: ["spare"] });
  serving.does = (asked) => (asked.body["model"] === "with-spare" ? rejectsWith(500)(asked) : answers(asked));
  const reply = await routed.ask("with-spare");
  serving.does = answers;
  expect([reply.status, reply.headers.get("x-tollgate-model")]).toEqual([200, "spare"]);
  expect(await mirrored(reply.requestId)).toMatchObject({ upstream: "copied", response: { status: 200, finish_reason: "stop" } });
  // A direct call of `spare` is mirrored by its own settings.
  await mirrored((await routed.ask("spare")).requestId);
  expect([copied.calls, unused.calls]).toEqual([1, 1]);
});

test("a stream that the caller cuts is not mirrored", async () => {
  await declare("cut", mirrorTo("unsent"));
  const upstream = manualStream();
  serving.does = () => rawEvents(upstream.stream);
  const caller = new AbortController();
  upstream.write(`data: ${chunk({ role: "assistant", content: "Hel" })}\n\n`);
  const response = await routed.open("cut", { stream: true, signal: caller.signal });
  await response.body!.getReader().read();
  caller.abort();
  const cut = await eventually(
    async () => (await routed.gateway.platform<{ data: LoggedRequestInFull[] }>("GET", "/api/requests?model=cut")).data[0],
    (request) => request !== undefined,
  );
  serving.does = answers;
  await mirrored((await routed.ask("cut")).requestId);
  expect([cut!.outcome, cut!.mirror, unsent.calls]).toEqual(["client_closed", null, 1]);
});

test("a mirror that is slow or dead costs the caller nothing", async () => {
  await declare("dead", mirrorTo("dead"));
  const credit = async (): Promise<bigint> =>
    parseDollars((await routed.gateway.platform<{ credit: string }>("GET", "/api/accounts/default")).credit)!;
  const before = await credit();
  const reopen = await dead.shut();
  const refused = await routed.ask("dead");
  expect((await mirrored(refused.requestId)).mirror.status).toBe(503);
  reopen();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  dead.does = async (asked) => {
    await isReleased;
    return answers(asked);
  };
  // The response is complete, charged and logged while the mirror still waits.
  const slow = await routed.ask("dead");
  const receipts = [await routed.receipt(refused), await routed.receipt(slow)];
  expect(receipts).toMatchObject([
    { state: "settled", attempts: 1 },
    { state: "settled", attempts: 1 },
  ]);
  expect((await logged(slow.requestId)).mirror).toBeNull();
  release();
  expect((await mirrored(slow.requestId)).mirror.status).toBe(200);
  const charged = receipts.reduce((sum, receipt) => sum + parseDollars(receipt["charged"] as string)!, 0n);
  expect(before - (await credit())).toBe(charged);
});

test("a model is changed to mirror and back by the platform API", async () => {
  const { gateway } = routed;
  const mirror = { upstream: "wild", model: "candidate", percent: 0.5 };
  await gateway.platform("POST", "/api/models", { id: "own", routes: [{ upstream: "serving", model: "m" }], free: true, mirror });
  expect(await gateway.platform("GET", "/api/models/own")).toMatchObject({ mirror });
  const [unknown] = await Promise.allSettled([
    gateway.platform("PATCH", "/api/models/own", { mirror: { ...mirror, upstream: "nowhere" } }),
  ]);
  expect(String((unknown as PromiseRejectedResult).reason)).toContain("mirror.upstream");
  expect(await gateway.platform("PATCH", "/api/models/own", { mirror: { ...mirror, percent: 100 } })).toMatchObject({
    mirror: { percent: 100 },
  });
  await mirrored((await routed.ask("own")).requestId);
  const compared = async (): Promise<number> => (await gateway.platform<MirrorReport>("GET", "/api/models/own/mirror")).requests;
  expect(await compared()).toBe(1);
  // With another mirror, the responses of the first mirror are no longer compared.
  await gateway.platform("PATCH", "/api/models/own", { mirror: { ...mirror, model: "another" } });
  expect(await compared()).toBe(0);
  expect(await gateway.platform("PATCH", "/api/models/own", { mirror: null })).toMatchObject({ mirror: null });
  expect(await compared()).toBe(1);
  await routed.ask("own");
  // If the last request had been copied, its copy would have been sent before this one.
  await mirrored((await routed.ask("to-wild")).requestId);
  expect(wild.calls).toBe(2);
});
