import { expect, test, describe } from "bun:test";
import { BETA, geminiAt, geminiCall } from "../../../test/dialects/gemini-call.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { geminiDialect, readGeminiCompletion } from "./gemini-dialect.ts";
import { answerOf, errorOf, KEY_INVALID, RETRY_INFO, USAGE } from "../../../test/dialects/gemini-answers.ts";
import { expectGoodCompletion } from "../../../test/support/upstreams/conformance.ts";
import type { Deviation } from "../../models/deviation.ts";
import { ApiError } from "../../requests/api-error.ts";

test("requests the model list in one page", () => {
  const { path, headers } = geminiDialect.modelsRequest(geminiAt(BETA), new Secret("google-credential"));
  expect(path).toBe("/models?pageSize=1000");
  expect(headers).toEqual({ accept: "application/json", "user-agent": "tollgate", "x-goog-api-key": "google-credential" });
});

test("lists text models with their token limits", () => {
  const models = [
    {
      name: "models/gemini-3.5-flash",
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent"],
    },
    { name: "models/embedding-001", supportedGenerationMethods: ["embedContent"] },
    { name: "tunedModels/mine", inputTokenLimit: 0, supportedGenerationMethods: ["countTokens", "generateContent"] },
    { name: 7, supportedGenerationMethods: ["generateContent"] },
    { name: "models/mute" },
    null,
  ];
  const unknown = { ownedBy: undefined, createdSeconds: undefined };
  expect(geminiDialect.modelsIn(JSON.stringify({ models }))).toEqual([
    { id: "gemini-3.5-flash", ...unknown, contextWindow: 1_048_576, maxOutputTokens: 65_536 },
    { id: "tunedModels/mine", ...unknown, contextWindow: undefined, maxOutputTokens: undefined },
  ]);
});

test("rejects a response without a model list", () => {
  for (const text of ["{}", "[]", '{"data":[]}', "<html>"]) expect(() => geminiDialect.modelsIn(text)).toThrow();
});

describe("gemini completion", () => {
  interface Read {
    readonly body: Record<string, unknown>;
    readonly message: Record<string, unknown>;
    readonly finishReason: unknown;
    readonly deviations: readonly Deviation[];
    readonly uncountedBytes: number;
  }

  function read(answer: unknown): Read {
    const call = geminiCall({});
    const { body: text, uncountedBytes } = readGeminiCompletion(JSON.stringify(answer), call);
    const body = expectGoodCompletion(text, "public-name");
    const [choice] = body["choices"] as { message: Record<string, unknown>; finish_reason: unknown }[];
    return { body, message: choice!.message, finishReason: choice!.finish_reason, deviations: call.deviations, uncountedBytes };
  }

  function failureOf(answer: unknown): ApiError {
    try {
      readGeminiCompletion(typeof answer === "string" ? answer : JSON.stringify(answer), geminiCall({}));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error("it was taken for an answer");
  }

  test("translates text, reasoning, thought signature and token counts", () => {
    const parts = [{ text: "Hm.", thought: true, thoughtSignature: "x" }, { text: "Hel" }, { text: "lo", thoughtSignature: "c2ln" }];
    const { body, message, finishReason, deviations } = read(answerOf(parts, "STOP"));
    expect(body).toMatchObject({ id: "answer-1", usage: USAGE });
    expect(message).toEqual({
      role: "assistant",
      content: "Hello",
      refusal: null,
      reasoning_content: "Hm.",
      extra_content: { google: { thought_signature: "c2ln" } },
    });
    expect(finishReason).toBe("stop");
    expect(deviations).toEqual([]);
  });

  test("translates tool calls with their own or generated ids, and finish reason tool_calls", () => {
    const parts = [
      { functionCall: { id: "g1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" },
      { functionCall: { name: "time" } },
      { functionCall: { id: "g1", name: "time", args: {} } },
    ];
    const { message, finishReason } = read(answerOf(parts, "STOP"));
    const calls = message["tool_calls"] as { id: string }[];
    expect(message["content"]).toBeNull();
    expect(finishReason).toBe("tool_calls");
    expect(calls).toMatchObject([
      {
        id: "g1",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Oslo"}' },
        extra_content: { google: { thought_signature: "c2ln" } },
      },
      { type: "function", function: { name: "time", arguments: "{}" } },
      { type: "function", function: { name: "time", arguments: "{}" } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(calls[1]).not.toHaveProperty("extra_content");
  });

  test("ignores parts of Google's server-side tools, and ignores and reports images", () => {
    const done = [{ executableCode: { code: "1" } }, { codeExecutionResult: { output: "1" } }, { text: "1" }];
    expect(read(answerOf(done, "STOP"))).toMatchObject({ message: { content: "1" }, deviations: [] });
    const picture = { inlineData: { mimeType: "image/png", data: "iVBO" }, thoughtSignature: "c2ln" };
    expect(read(answerOf([picture], "STOP"))).toMatchObject({ message: { content: "" }, deviations: ["event_unexpected"] });
  });

  describe("the finish reason", () => {
    const text = [{ text: "Hello" }];
    const call = [{ functionCall: { name: "f", args: {} } }];
    const REASONS: [string, object[] | undefined, string, Deviation[]][] = [
      ["STOP", text, "stop", []],
      ["STOP", undefined, "stop", []],
      ["STOP", call, "tool_calls", []],
      ["MAX_TOKENS", text, "length", []],
      ["MAX_TOKENS", call, "length", []],
      ...[
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
      ].map((reason): [string, undefined, string, Deviation[]] => [reason, undefined, "content_filter", []]),
      ["OTHER", text, "content_filter", ["finish_reason_unknown"]],
      ["A_WORD_OF_TOMORROW", text, "content_filter", ["finish_reason_unknown"]],
    ];
    test.each(REASONS)("%s, with %j, is %s", (reason, parts, expected, deviations) => {
      expect(read(answerOf(parts, reason))).toMatchObject({ finishReason: expected, deviations });
    });

    test.each([
      "MALFORMED_FUNCTION_CALL",
      "UNEXPECTED_TOOL_CALL",
      "TOO_MANY_TOOL_CALLS",
      "MISSING_THOUGHT_SIGNATURE",
      "MALFORMED_RESPONSE",
    ])("%s is a failure, whatever came before", (reason) => {
      expect(failureOf(answerOf(text, reason))).toMatchObject({ code: "upstream_error", fault: { kind: "failed" } });
    });

    test("that is missing means that the response was cut off", () => {
      for (const answer of [answerOf(text), answerOf(undefined), { candidates: [] }, {}]) {
        expect(failureOf(answer)).toMatchObject({ code: "upstream_error", fault: { kind: "broken" } });
      }
    });
  });

  test("a blocked prompt is a content_policy_violation", () => {
    const { code, message, fault } = failureOf({
      promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
      usageMetadata: { promptTokenCount: 5 },
    });
    expect([code, message, fault]).toEqual(["content_policy_violation", "The upstream refused the prompt: PROHIBITED_CONTENT.", undefined]);
  });

  describe("token counts", () => {
    const COUNTS: [object, object][] = [
      [{ promptTokenCount: 9 }, { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }],
      [
        { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
        { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
      ],
      [
        { promptTokenCount: 9, candidatesTokenCount: 2, thoughtsTokenCount: 5 },
        { prompt_tokens: 9, completion_tokens: 7, total_tokens: 16, completion_tokens_details: { reasoning_tokens: 5 } },
      ],
      // Tokens that are counted only in the total were generated but not shown, and are charged.
      [
        { promptTokenCount: 9, totalTokenCount: 30 },
        { prompt_tokens: 9, completion_tokens: 21, total_tokens: 30 },
      ],
    ];
    test.each(COUNTS)("%j", (usageMetadata, usage) => {
      expect(read(answerOf([{ text: "Hello" }], "STOP", { usageMetadata })).body["usage"]).toMatchObject(usage);
    });

    test("that are missing or invalid are reported, and the output is estimated", () => {
      for (const usageMetadata of [{}, { promptTokenCount: -1 }, { promptTokenCount: "9" }, [], undefined]) {
        const call = geminiCall({});
        const { body, uncountedBytes } = readGeminiCompletion(
          JSON.stringify(answerOf([{ text: "Hello" }], "STOP", { usageMetadata })),
          call,
        );
        expect([JSON.parse(body).usage, uncountedBytes]).toEqual([undefined, 5]);
        expect(call.deviations).toEqual([usageMetadata === undefined ? "usage_missing" : "usage_malformed"]);
      }
    });
  });

  test("generates a missing response id", () => {
    expect(read(answerOf([{ text: "a" }], "STOP", { responseId: undefined })).body["id"]).toMatch(/^chatcmpl-/);
  });

  describe("an error inside a 200", () => {
    const ERRORS: [unknown, object][] = [
      [errorOf(429, "RESOURCE_EXHAUSTED", "slow down", [RETRY_INFO]), { code: "overloaded", fault: { kind: "busy", retryAfterMs: 7200 } }],
      [[errorOf(503, "UNAVAILABLE", "later")], { code: "overloaded", fault: { kind: "failed" } }],
      [KEY_INVALID, { code: "upstream_error", fault: { kind: "credential" } }],
      [{ error: { status: "RESOURCE_EXHAUSTED", message: "slow down" } }, { code: "overloaded", fault: { kind: "busy" } }],
      [{ error: { message: "odd" } }, { code: "upstream_error", fault: { kind: "failed" } }],
    ];
    test.each(ERRORS)("%j", (answer, expected) => expect(failureOf(answer)).toMatchObject(expected));

    test("that is not JSON is an upstream error", () => {
      for (const text of ["", "<html>", "[]", "7", "null"]) expect(failureOf(text)).toMatchObject({ fault: { kind: "broken" } });
    });
  });
});
