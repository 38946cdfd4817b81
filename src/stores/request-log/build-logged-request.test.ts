import { expect, test } from "bun:test";
import { endedRequest } from "../../../test/request-log/ended-requests.ts";
import { buildLoggedRequest } from "./build-logged-request.ts";

const redactSecrets = (text: string): string => text.replaceAll("secret", "…");

test("records all values of a complete request", () => {
  const ended = endedRequest({ endedAtMs: 1_794_707_507_843 });
  expect(buildLoggedRequest(ended, redactSecrets)).toEqual({
    requestId: ended.requestId,
    startedAtMs: 1_794_707_506_843,
    endedAtMs: 1_794_707_507_843,
    keyId: "1t8M70XpfTe0",
    accountId: "acme",
    model: "fast-chat",
    isStream: true,
    status: 200,
    outcome: "complete",
    code: null,
    param: null,
    detail: null,
    upstream: "openai",
    attempts: [{ upstream: "openai", upstreamModel: "gpt-4o-mini", startedMs: 0.5, durationMs: 200.25, outcome: "answered", detail: null }],
    usage: { promptTokens: 1234, completionTokens: 345, cachedTokens: 30, cacheWriteTokens: 2, reasoningTokens: 11 },
    provenance: "measured",
    costNanos: 123_456n,
    durationMs: 1000.123,
    firstTokenMs: 200.75,
    overheadMs: 0.55,
    requestBytes: 3456,
    replyBytes: 8765,
    client: "curl/8.5.0",
    traceId: null,
    attribution: null,
  });
});

test("records null for values that a rejected request does not have", () => {
  const notes = { keyId: undefined, accountId: undefined, requestedModel: undefined, charge: undefined, attempts: [], begunAt: undefined };
  const ended = endedRequest({ status: 401, notes: { ...notes, end: undefined, code: "invalid_api_key" } });
  expect(buildLoggedRequest(ended, redactSecrets)).toMatchObject({
    keyId: null,
    accountId: null,
    model: null,
    status: 401,
    outcome: "refused",
    code: "invalid_api_key",
    upstream: null,
    attempts: [],
    usage: null,
    provenance: null,
    costNanos: null,
    firstTokenMs: null,
    overheadMs: null,
  });
});

test("records the cache as the upstream of a cache hit, and the last upstream of a failed request", () => {
  const { charge } = endedRequest().notes;
  const kept = endedRequest({ notes: { attempts: [], charge: { ...charge!, upstream: "cache" } } });
  expect(buildLoggedRequest(kept, redactSecrets).upstream).toBe("cache");
  const tries = ["first", "second"].map((upstream) => {
    return { upstream, upstreamModel: "m", startedAt: 5001, durationMs: undefined, outcome: undefined, detail: "a secret" };
  });
  const failed = buildLoggedRequest(endedRequest({ status: 502, notes: { charge: undefined, attempts: tries } }), redactSecrets);
  expect(failed).toMatchObject({ upstream: "second", outcome: "failed" });
  expect(failed.attempts[1]).toEqual({
    upstream: "second",
    upstreamModel: "m",
    startedMs: 1,
    durationMs: null,
    outcome: null,
    detail: "a …",
  });
});

test("removes secrets from all texts of callers and upstreams, and truncates long ones", () => {
  const notes = { requestedModel: "secret", param: "a.secret", detail: `secret${"x".repeat(2000)}` };
  const logged = buildLoggedRequest(endedRequest({ client: "secret/1.0", notes }), redactSecrets);
  expect([logged.model, logged.param, logged.client]).toEqual(["…", "a.…", "…/1.0"]);
  expect(logged.detail).toBe(`…${"x".repeat(499)}`);
});
