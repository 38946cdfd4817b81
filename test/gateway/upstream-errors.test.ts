import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { configFor, rawEvents, startMockUpstream, type MockUpstream, type Script } from "../support/upstreams/mock-upstream.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";

interface Case {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly becomes: { status: number; code: string; message?: string | RegExp; param?: string | null; retryAfter?: string };
}

const openai = (message: string, code: string | null = null, more: object = {}): object => ({
  error: { message, type: "x", param: null, code, ...more },
});

/**
 * The cause decides: for the client's errors, the client receives the upstream's message. Errors of the operator and the upstream are only
 * logged.
 */
const CASES: Record<string, Case> = {
  "our credential is refused": {
    status: 401,
    body: openai("Incorrect API key upstream-credential-canary"),
    becomes: { status: 502, code: "upstream_error" },
  },
  "our account is out of money": { status: 402, body: openai("pay"), becomes: { status: 502, code: "upstream_error" } },
  "a firewall rejects the prompt": {
    status: 403,
    body: "<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head></html>",
    becomes: { status: 400, code: "invalid_value", message: "A firewall of the upstream rejected this request." },
  },
  "our account may not": { status: 403, body: openai("no"), becomes: { status: 502, code: "upstream_error" } },
  "the upstream does not know its model": { status: 404, body: openai("no such model"), becomes: { status: 502, code: "upstream_error" } },
  "our quota is used up": {
    status: 429,
    body: openai("You exceeded your current quota", "insufficient_quota"),
    becomes: { status: 502, code: "upstream_error" },
  },
  "our credit is used up": {
    status: 429,
    body: { error: { message: "no credit", type: "insufficient_quota", code: "credit_balance_exhausted" } },
    becomes: { status: 502, code: "upstream_error" },
  },
  "our rate is used up": {
    status: 429,
    body: openai("slow down"),
    headers: { "retry-after": "7" },
    becomes: { status: 503, code: "overloaded", retryAfter: "7" },
  },
  "a long wait is shortened to what clients heed": {
    status: 429,
    headers: { "retry-after": "3600" },
    becomes: { status: 503, code: "overloaded", retryAfter: "59", message: /try again in 59s/ },
  },
  "a wait given as a date still has one": {
    status: 503,
    headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" },
    becomes: { status: 503, code: "overloaded", retryAfter: "5" },
  },
  "this request alone is above the limit": {
    status: 429,
    body: openai("Request too large for gpt-4o: Limit 30000, Requested 60000", "rate_limit_exceeded"),
    becomes: { status: 429, code: "rate_limit_exceeded", message: /Requested 60000/ },
  },
  "a wrong request": {
    status: 400,
    body: openai("Invalid 'tools[0]'", "invalid_value", { param: "tools[0]" }),
    becomes: { status: 400, code: "invalid_value", message: "Invalid 'tools[0]'", param: "tools[0]" },
  },
  "a prompt too long": {
    status: 400,
    body: openai("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    becomes: { status: 400, code: "context_length_exceeded", message: /maximum context length/ },
  },
  "a prompt refused": {
    status: 400,
    body: openai("filtered", "content_filter"),
    becomes: { status: 400, code: "content_policy_violation" },
  },
  "an unknown field": {
    status: 400,
    body: openai("Unrecognized request argument supplied: foo"),
    becomes: { status: 400, code: "unsupported_parameter", message: /foo/ },
  },
  "an unknown field, in OpenAI's newer words": {
    status: 400,
    body: openai("Unknown parameter: 'foo'.", "unknown_parameter", { param: "foo" }),
    becomes: { status: 400, code: "unsupported_parameter", message: /foo/, param: "foo" },
  },
  "Mistral's 422": {
    status: 422,
    body: { object: "error", message: { detail: [{ type: "extra_forbidden", loc: ["body", "foo"] }] } },
    becomes: { status: 400, code: "unsupported_parameter", message: /foo/ },
  },
  "FastAPI's detail": { status: 400, body: { detail: "bad thing" }, becomes: { status: 400, code: "invalid_value", message: "bad thing" } },
  "a 400 with our credential in its words": {
    status: 400,
    body: openai("key upstream-credential-canary is wrong"),
    becomes: { status: 400, code: "invalid_value", message: "key [secret] is wrong" },
  },
  "a 400 with our credential spelled in escapes": {
    status: 400,
    body: '{"error":{"message":"key upstream-credential-c\\u0061nary is wrong"}}',
    becomes: { status: 400, code: "invalid_value", message: "key [secret] is wrong" },
  },
  "a 400 with our credential for the name of the field": {
    status: 400,
    body: openai("wrong", null, { param: "headers.upstream-credential-canary" }),
    becomes: { status: 400, code: "invalid_value", message: "wrong", param: "headers.[secret]" },
  },
  "a 400 with our credential where its words are cut short": {
    status: 400,
    body: openai(`${"x".repeat(1990)}upstream-credential-canary`),
    becomes: { status: 400, code: "invalid_value", message: /^x{1990}\[secret\]$/ },
  },
  "a very long reason": {
    status: 400,
    body: openai("x".repeat(300_000)),
    becomes: { status: 400, code: "invalid_value", message: /^x{2000}$|^\{"error/ },
  },
  "a 400 that is not JSON": { status: 400, body: "plain words", becomes: { status: 400, code: "invalid_value", message: /plain words/ } },
  "too large": { status: 413, body: "x", becomes: { status: 413, code: "request_too_large" } },
  "a fault": { status: 500, body: "secret stack trace", becomes: { status: 502, code: "upstream_error" } },
  "a bad gateway": { status: 502, body: "<html>", becomes: { status: 502, code: "upstream_error" } },
  busy: { status: 503, body: "", becomes: { status: 503, code: "overloaded", retryAfter: "5" } },
  "overloaded, Anthropic's way": { status: 529, body: "", becomes: { status: 503, code: "overloaded", retryAfter: "5" } },
  slow: { status: 504, body: "", becomes: { status: 504, code: "upstream_timeout" } },
  "an input that its model does not support": {
    status: 500,
    body: { error: { code: 500, message: "image input is not supported - key upstream-credential-canary", type: "server_error" } },
    becomes: { status: 400, code: "invalid_value", message: "image input is not supported - key [secret]" },
  },
  "a prompt beyond the context, llama.cpp's way": {
    status: 400,
    body: {
      error: {
        code: 400,
        message: "request (5050 tokens) exceeds the available context size (4096 tokens)",
        type: "exceed_context_size_error",
      },
    },
    becomes: { status: 400, code: "context_length_exceeded", message: /maximum context length\. request \(5050 tokens\)/ },
  },
  // https://github.com/UKGovernmentBEIS/inspect_ai/pull/2267: the message must not name the operator's team or key.
  "a prompt refused, xAI's way": {
    status: 403,
    body: { code: "no permission", error: "Content violates usage guidelines. Team: secret stack, Failed check: SAFETY_CHECK_TYPE_BIO" },
    becomes: { status: 400, code: "content_policy_violation", message: /content policy/ },
  },
  "a redirect": { status: 302, headers: { location: "http://127.0.0.1:1/" }, becomes: { status: 502, code: "upstream_error" } },
  "a teapot": { status: 418, body: openai("secret"), becomes: { status: 502, code: "upstream_error" } },
};

const names = Object.keys(CASES);
const inside: Script = () => rawEvents('data: {"error":{"code":"context_length_exceeded","message":"key upstream-credential-canary"}}\n\n');

let mock: MockUpstream;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  const scripts = names.map((name, at): [string, Script] => [`up-case-${at}`, () => answer(CASES[name]!)]);
  mock = startMockUpstream({ ...Object.fromEntries(scripts), "up-inside": inside });
  gateway = await startGateway({
    yaml: configFor(mock.baseUrl, [...names.keys().map((at) => `case-${at}`), "inside"]),
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway.stop();
  await mock.stop();
});

/**
 * Errors that a client's retry would not change: the operator has to act, the work may already be done, or the request is too large for any
 * context window.
 */
function isLasting(at: number): boolean {
  const name = names[at]!;
  const { becomes, status } = CASES[name]!;
  if (becomes.status === 502) return [302, 401, 402, 403, 404, 429].includes(status);
  return becomes.status === 504 || becomes.status === 429;
}

function answer({ status, body, headers }: Case): Response {
  return new Response(typeof body === "string" ? body : JSON.stringify(body ?? ""), { status, headers: headers ?? {} });
}

for (const stream of [false, true]) {
  describe(stream ? "asked for a stream, an upstream's" : "asked for JSON, an upstream's", () => {
    for (const [at, name] of names.entries()) {
      const { status, becomes } = CASES[name]!;
      test(`${status}, because of ${name}, is our ${becomes.status} ${becomes.code}`, async () => {
        const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: JSON.stringify({ model: `case-${at}`, stream, messages: [{ role: "user", content: "hi" }] }),
        });
        const text = await reply.text();
        const { error } = JSON.parse(text) as { error: { code: string; message: string; param: string | null } };
        expect([reply.status, error.code]).toEqual([becomes.status, becomes.code]);
        expect(text).not.toMatch(/upstream-credential-canary|secret stack/);
        if (becomes.message !== undefined) expect(error.message).toMatch(becomes.message);
        if (becomes.param !== undefined) expect(error.param).toBe(becomes.param);
        if (becomes.retryAfter !== undefined) expect(reply.headers.get("retry-after")).toBe(becomes.retryAfter);
        expect([status, reply.headers.get("x-should-retry")]).toEqual([status, isLasting(at) ? "false" : null]);
      });
    }
  });
}

test("an error inside a stream keeps our credential to itself too", async () => {
  const reply = await fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "inside", stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(await reply.json()).toMatchObject({
    error: { code: "context_length_exceeded", message: "This is more than the maximum context length. key [secret]" },
  });
});

test("the log has the upstream's own words, and not our credential", async () => {
  await waitFor(() => gateway.output().includes("upstream status 500: secret stack trace"));
  expect(gateway.output()).not.toContain("upstream-credential-canary");
});
