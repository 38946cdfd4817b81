import { afterAll, describe, expect, test } from "bun:test";
import { chatBody } from "../money/post-chat.ts";
import { completion, configFor, events, GOOD_CHUNKS, rawEvents, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { eventually } from "../support/eventually.ts";
import { callPlatform, callGateway, withoutVolatile, type ReadReply, type CreatedKey } from "./both-listeners.ts";
import { expireSoon } from "../support/gateway/expire-soon.ts";

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-breaking": () => rawEvents(`data: ${GOOD_CHUNKS[0]}\n\ndata: ${GOOD_CHUNKS[1]}\n\n`),
  "up-failing": () => Response.json({ error: { message: "out of order" } }, { status: 500 }),
});
const SECOND = `  - { id: second, dialect: openai, base_url: "${upstream.baseUrl}", allow_private: true, credential: canary }`;
const TWO_ROUTES =
  "  - { id: two-routes, routes: [{ upstream: second, model: up-failing }, { upstream: mock, model: up-chat, priority: 2 }], free: true }\n";
const gateway = await startGateway({
  yaml: configFor(upstream.baseUrl, ["chat", "breaking", "failing", "other"], SECOND) + TWO_ROUTES,
  env: { TOLLGATE_MAX_BODY_BYTES: "300000" },
});
const made = await gateway.makeKey(["chat", "breaking", "failing", "two-routes"]);
await gateway.platform("POST", "/api/accounts", { id: "poor", name: "Poor" });

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Headers of the platform, or headers that differ each time. */
const OWN_HEADERS = /^(date|cache-control|x-request-id|retry-after|x-ratelimit-(remaining|reset)-.*|x-tollgate-(credit|cap)-remaining)$/;

/** Sends a request to both listeners, and expects the same reply. */
async function expectSame(key: CreatedKey, body: string, headers: Record<string, string> = {}): Promise<ReadReply> {
  const outside = await callGateway(gateway, key, body, headers);
  const inside = await callPlatform(gateway, key, body, headers);
  expect([inside.status, withoutVolatile(inside.text)]).toEqual([outside.status, withoutVolatile(outside.text)]);
  for (const [name, value] of outside.headers) if (!OWN_HEADERS.test(name)) expect([name, inside.headers.get(name)]).toEqual([name, value]);
  return inside;
}

const statusAndCode = ({ status, text }: ReadReply): unknown[] => [status, (JSON.parse(text) as { error: { code: string } }).error.code];

describe("a call as a key on the platform has the same result as a call with the key", () => {
  test("a completion, with its receipt", async () => {
    const { status, headers } = await expectSame(made, chatBody("chat"));
    expect([status, headers.get("x-tollgate-cost"), headers.get("x-tollgate-upstream")]).toEqual([200, "0.0000081", "mock"]);
  });

  test("a stream, and one that fails", async () => {
    const whole = await expectSame(made, chatBody("chat", { stream: true, stream_options: { include_usage: true } }));
    expect(whole.headers.get("content-type")).toStartWith("text/event-stream");
    expect(whole.text).toEndWith("data: [DONE]\n\n");
    const broken = await expectSame(made, chatBody("breaking", { stream: true }));
    expect(broken.text).toContain('"code":"upstream_error"');
  });

  test("a body above the limit of other platform endpoints, and one that is not JSON", async () => {
    const large = chatBody("chat", { messages: [{ role: "user", content: "x".repeat(280_000) }] });
    expect((await expectSame(made, large)).status).toBe(200);
    expect(statusAndCode(await expectSame(made, "x".repeat(300_001)))).toEqual([413, "request_too_large"]);
    expect(statusAndCode(await expectSame(made, "{ not json"))).toEqual([400, "invalid_json"]);
    expect(statusAndCode(await expectSame(made, chatBody("chat"), { "content-type": "text/plain" }))).toEqual([
      415,
      "unsupported_media_type",
    ]);
  });

  test("every error", async () => {
    expect(statusAndCode(await expectSame(made, chatBody("chat", { temperature: "hot" })))).toEqual([400, "invalid_value"]);
    expect(statusAndCode(await expectSame(made, chatBody("other")))).toEqual([403, "model_not_allowed"]);
    expect(statusAndCode(await expectSame(made, chatBody("failing")))).toEqual([502, "upstream_error"]);
    const poor = await gateway.makeKey(["*"], { account: "poor" });
    expect(statusAndCode(await expectSame(poor, chatBody("chat")))).toEqual([402, "insufficient_credits"]);
    const slow = await gateway.makeKey(["*"], { limits: { requests_per_minute: 1 } });
    await callPlatform(gateway, slow, chatBody("chat"));
    const tooFast = await expectSame(slow, chatBody("chat"));
    expect(statusAndCode(tooFast)).toEqual([429, "rate_limit_exceeded"]);
    expect([tooFast.headers.get("x-ratelimit-limit-requests"), Number(tooFast.headers.get("retry-after")) > 0]).toEqual(["1", true]);
  });

  test("of a key that is revoked, or has expired", async () => {
    const revoked = await gateway.makeKey();
    await gateway.platform("DELETE", `/api/keys/${revoked.id}`);
    expect(statusAndCode(await expectSame(revoked, chatBody("chat")))).toEqual([401, "invalid_api_key"]);
    const expiring = await gateway.makeKey();
    await expireSoon(gateway, expiring.id);
    const expired = await eventually(
      () => callPlatform(gateway, expiring, chatBody("chat")),
      ({ status }) => status === 401,
    );
    expect(statusAndCode(expired)).toEqual([401, "invalid_api_key"]);
  });

  test("request headers: x-dry-run, x-max-cost, Idempotency-Key", async () => {
    const calls = upstream.requests.length;
    const dry = await expectSame(made, chatBody("chat"), { "x-dry-run": "1" });
    expect(JSON.parse(dry.text)).toMatchObject({ object: "chat.completion.explanation", key: made.id });
    expect(upstream.requests).toHaveLength(calls);
    expect(statusAndCode(await expectSame(made, chatBody("chat"), { "x-max-cost": "none" }))).toEqual([400, "invalid_value"]);
    const named = { "idempotency-key": "once" };
    const first = await callGateway(gateway, made, chatBody("chat"), named);
    const again = await callPlatform(gateway, made, chatBody("chat"), named);
    expect([again.text, again.headers.get("x-tollgate-replayed")]).toEqual([first.text, first.headers.get("x-request-id")]);
  });

  test("no retry after the timeout of the client", async () => {
    expect((await callPlatform(gateway, made, chatBody("two-routes"))).status).toBe(200);
    expect((await expectSame(made, chatBody("two-routes"), { "x-stainless-timeout": "0.000001" })).status).toBe(502);
  });
});

test("the receipt, the request log and both log lines have the request id and the actor", async () => {
  const { headers } = await callPlatform(gateway, made, chatBody("chat"), { "user-agent": "a-browser/1" });
  const requestId = headers.get("x-request-id")!;
  const receipt = await gateway.platform("GET", `/api/receipts/${requestId}`);
  expect(receipt).toMatchObject({ key: made.id, account: "default", state: "settled", charged: headers.get("x-tollgate-cost") });
  const logged = await eventually(
    () => gateway.platform<{ data: { request_id: string }[] }>("GET", `/api/requests?key=${made.id}`),
    ({ data }) => data.some((each) => each.request_id === requestId),
  );
  expect(logged.data.find((each) => each.request_id === requestId)).toMatchObject({
    key: made.id,
    model: "chat",
    outcome: "complete",
    client: "a-browser/1",
  });
  expect(await linesOf(headers)).toMatchObject([
    { listener: "gateway", path: "/v1/chat/completions", actor: "operator-token", key: made.id },
    { listener: "platform", path: "/api/keys/:id/chat/completions", actor: "operator-token" },
  ]);
});

/** The log lines of both listeners. */
function linesOf(headers: Headers): Promise<Record<string, unknown>[]> {
  return eventually(
    () => gateway.logLines().filter((line) => line["request_id"] === headers.get("x-request-id")),
    ({ length }) => length === 2,
  );
}

const outcomeOf = ({ level, end, code, param, detail }: Record<string, unknown>): object => ({ level, end, code, param, detail });

test("both log lines have the outcome", async () => {
  const refused = await callPlatform(gateway, made, chatBody("chat", { temperature: "hot" }));
  const broken = await callPlatform(gateway, made, chatBody("breaking", { stream: true }));
  for (const [asked, expected] of [
    [refused, { level: "info", code: "invalid_value", param: "temperature" }],
    [broken, { level: "warn", end: "failed", code: "upstream_error" }],
  ] as const) {
    const [ofGateway, ofPlatform] = await linesOf(asked.headers);
    expect(ofGateway).toMatchObject(expected);
    expect(outcomeOf(ofPlatform!)).toEqual(outcomeOf(ofGateway!));
  }
});

test("a call is counted as a request, and is not in the audit log", async () => {
  const countsIn = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${gateway.operatorToken}` };
    const text = await (await fetch(`${gateway.platformUrl}/metrics`, { headers })).text();
    const counts = [...text.matchAll(/^tollgate_requests_total\{[^}]*model="chat"[^}]*\} (\d+)/gm)].map(([, count]) => Number(count));
    return counts.reduce((sum, count) => sum + count, 0);
  };
  const [before, changes] = [await countsIn(), await gateway.platform("GET", "/api/audit-log")];
  expect((await callPlatform(gateway, made, chatBody("chat"))).status).toBe(200);
  expect(await countsIn()).toBe(before + 1);
  expect(await gateway.platform("GET", "/api/audit-log")).toEqual(changes);
});
