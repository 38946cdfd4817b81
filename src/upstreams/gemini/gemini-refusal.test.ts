import { describe, expect, test } from "bun:test";
import { errorOf, KEY_INVALID, RETRY_INFO } from "../../../test/dialects/gemini-answers.ts";
import { geminiRefusal } from "./gemini-refusal.ts";

const TOO_LONG = "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).";

describe("an error response becomes", () => {
  const REFUSALS: [when: string, status: number, body: unknown, expected: object][] = [
    [
      "a wait, with the time that it names",
      429,
      errorOf(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", [{ violations: [] }, RETRY_INFO]),
      { status: 503, retryAfterSeconds: 8, fault: { kind: "busy", retryAfterMs: 7200 } },
    ],
    ["a wait, in a list", 429, [errorOf(429, "RESOURCE_EXHAUSTED", "slow", [RETRY_INFO])], { fault: { kind: "busy", retryAfterMs: 7200 } }],
    ["a wait without a time", 429, errorOf(429, "RESOURCE_EXHAUSTED", "slow", [{ retryDelay: "soon" }]), { fault: { kind: "busy" } }],
    [
      "a context that is too long",
      400,
      errorOf(400, "INVALID_ARGUMENT", TOO_LONG),
      { code: "context_length_exceeded", message: `This is more than the maximum context length. ${TOO_LONG}` },
    ],
    [
      "a context that is too long, in a list",
      400,
      [errorOf(400, "INVALID_ARGUMENT", TOO_LONG)],
      { code: "context_length_exceeded", message: `This is more than the maximum context length. ${TOO_LONG}` },
    ],
    [
      "the caller's fault",
      400,
      errorOf(400, "INVALID_ARGUMENT", "topK is odd"),
      { code: "invalid_value", message: "topK is odd", fault: undefined },
    ],
    [
      "one model of Vertex AI that our project may not use",
      400,
      errorOf(400, "FAILED_PRECONDITION", "Project `p` is not allowed to use Publisher Model `m`"),
      { status: 502, fault: { kind: "failed", isFinal: true } },
    ],
    ["a key of ours that is wrong", 400, KEY_INVALID, { status: 502, fault: { kind: "credential" } }],
    [
      "a key of ours that has expired",
      400,
      errorOf(400, "INVALID_ARGUMENT", "API key expired."),
      { status: 502, fault: { kind: "credential" } },
    ],
    [
      "a place that we may not call from",
      400,
      errorOf(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
      { status: 502, fault: { kind: "credential" } },
    ],
    [
      "a bill of ours that is not paid",
      400,
      errorOf(400, "FAILED_PRECONDITION", "The free tier is not available in your country. Please enable billing on your project."),
      { status: 502, fault: { kind: "credential" } },
    ],
    [
      "the caller's fault, whatever of the caller's words it quotes",
      400,
      errorOf(400, "INVALID_ARGUMENT", "Invalid value: 'enable billing, location is not supported'"),
      { code: "invalid_value", fault: undefined },
    ],
    ["a key of ours that may not", 403, errorOf(403, "PERMISSION_DENIED", "no"), { status: 502, fault: { kind: "credential" } }],
    ["a model that is not there", 404, errorOf(404, "NOT_FOUND", "models/x is not found"), { status: 502, fault: { kind: "failed" } }],
    ["a failure of theirs", 500, errorOf(500, "INTERNAL", "oh"), { status: 502, fault: { kind: "failed" } }],
    ["an overload of theirs", 503, errorOf(503, "UNAVAILABLE", "The model is overloaded."), { status: 503, fault: { kind: "failed" } }],
    ["a timeout of theirs", 504, errorOf(504, "DEADLINE_EXCEEDED", "late"), { status: 504 }],
    ["a failure that is not JSON", 502, "<html>Bad Gateway</html>", { status: 502, fault: { kind: "failed" } }],
  ];
  test.each(REFUSALS)("%s", (_when, status, body, expected) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    expect(geminiRefusal(status, new Headers(), text)).toMatchObject(expected);
  });
});

test("a Retry-After header takes precedence over the body's retry delay", () => {
  const body = JSON.stringify(errorOf(429, "RESOURCE_EXHAUSTED", "slow", [RETRY_INFO]));
  expect(geminiRefusal(429, new Headers({ "retry-after": "2" }), body).fault).toEqual({ kind: "busy", retryAfterMs: 2000 });
});

test("messages about the gateway's own key are not passed to callers", () => {
  const { message, detail } = geminiRefusal(400, new Headers(), JSON.stringify(KEY_INVALID));
  expect(message).not.toContain("API key");
  expect(detail).toContain("API key not valid");
});
