import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { expectGoodCompletion, expectGoodStream, textOf, type Chunk } from "../../../test/support/upstreams/conformance.ts";
import { answerParts, anyAnswer, chatBody, finishReason, streamOf } from "../../../test/dialects/gemini-arbitraries.ts";
import { answerOf } from "../../../test/dialects/gemini-answers.ts";
import { BETA, geminiAt, geminiCall, VERTEX } from "../../../test/dialects/gemini-call.ts";
import { findGeminiViolation } from "../../../test/dialects/gemini-format.ts";
import { readStream } from "../../../test/dialects/gemini-stream.ts";
import { runs } from "../../../test/support/long.ts";
import { findChatViolation } from "../../requests/chat-request.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { ApiError } from "../../requests/api-error.ts";
import { mapParameters } from "../../requests/map-parameters.ts";
import { sentText } from "../../../test/support/upstreams/upstream-call.ts";
import { geminiDialect } from "./gemini-dialect.ts";

const MODELS = ["gemini-3.5-flash", "gemini-2.5-pro", "gemini-2.0-flash", "gemma-3-27b-it", "publishers/google/models/gemini-3-pro"];

/** The result of `act`; undefined if it throws an `ApiError` with one of these codes. */
function unlessRefused<T>(act: () => T, codes: readonly string[]): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(codes).toContain(error.code);
    if (codes.includes("unsupported_parameter")) expect(error.param).toBeString();
    return undefined;
  }
}

test("any valid request is translated to a valid one, or rejected with the name of a field", () => {
  let sent = 0;
  const property = fc.property(chatBody, fc.constantFrom(...MODELS), fc.constantFrom(BETA, VERTEX), (body, upstreamModel, baseUrl) => {
    fc.pre(findChatViolation(body) === undefined);
    const settings = geminiAt(baseUrl);
    const request = unlessRefused(() => {
      const parameterMapping = mapParameters(body, parameterRules(settings, upstreamModel), {});
      return geminiDialect.request(geminiCall(body, { upstreamModel, parameterMapping }), settings);
    }, ["unsupported_parameter", "invalid_value"]);
    if (!request) return;
    sent++;
    expect(findGeminiViolation(JSON.parse(sentText(request)))).toBeUndefined();
  });
  fc.assert(property, runs(500));
  expect(sent).toBeGreaterThan(100);
});

const FAILURES = ["upstream_error", "overloaded", "content_policy_violation"];

const KNOWN_FIELDS = new Set(
  "id object created model choices usage index message delta logprobs finish_reason role content refusal reasoning_content tool_calls extra_content".split(
    " ",
  ),
);

/** Every field of a response is in the format, or inside a tool call or signature. */
function expectNoOtherFields(value: unknown): void {
  if (Array.isArray(value)) for (const each of value) expectNoOtherFields(each);
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      expect(KNOWN_FIELDS).toContain(name);
      if (!["tool_calls", "extra_content", "usage"].includes(name)) expectNoOtherFields(inner);
    }
  }
}

interface Content {
  readonly text: unknown;
  readonly reasoning: string;
  readonly calls: { readonly name: string; readonly args: unknown }[];
  readonly finishReason: unknown;
}

const REASONS = ["stop", "length", "tool_calls", "content_filter"];

function jsonContent(answer: object): Content {
  const completion = expectGoodCompletion(geminiDialect.readCompletion(JSON.stringify(answer), geminiCall({})).body, "public-name");
  expectNoOtherFields(completion);
  const [choice] = completion["choices"] as { message: Record<string, unknown>; finish_reason: string }[];
  expect(REASONS).toContain(choice!.finish_reason);
  const { content, reasoning_content: reasoning = "", tool_calls: calls = [] } = choice!.message;
  return { text: content ?? "", reasoning: reasoning as string, calls: (calls as Call[]).map(toCall), finishReason: choice!.finish_reason };
}

function streamedContent(events: readonly object[], cuts: readonly number[]): Content {
  const chunks = expectGoodStream(readStream(events, cuts).text, "public-name", { usage: true });
  expectNoOtherFields(chunks);
  for (const { usage } of chunks) if (usage) expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls = deltas.flatMap((delta) => (delta["tool_calls"] ?? []) as (Call & { index: number })[]);
  expect(calls.map(({ index }) => index)).toEqual(calls.map((_, at) => at));
  return {
    text: textOf(chunks),
    reasoning: deltas.map((delta) => (delta["reasoning_content"] as string | undefined) ?? "").join(""),
    calls: calls.map(toCall),
    finishReason: finishReasonOf(chunks),
  };
}

interface Call {
  readonly function: { readonly name: string; readonly arguments: string };
}

function toCall({ function: { name, arguments: args } }: Call): Content["calls"][number] {
  return { name, args: JSON.parse(args) };
}

function finishReasonOf(chunks: readonly Chunk[]): unknown {
  return chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).findLast((reason) => reason !== null);
}

test("any documented response is translated to the same content as JSON and as a stream, wherever it is split", () => {
  const answered = fc
    .tuple(answerParts, finishReason)
    .chain(([parts, finish]) =>
      fc.tuple(fc.constant(answerOf(parts, finish)), streamOf(parts, finish), fc.array(fc.nat(), { maxLength: 8 })),
    );
  const property = fc.property(answered, ([whole, events, cuts]) => {
    const content = unlessRefused(() => jsonContent(whole), FAILURES);
    expect(unlessRefused(() => streamedContent(events, cuts), FAILURES)).toEqual(content);
    if (!content) return;
    const parts = (whole["candidates"] as { content: { parts: Record<string, unknown>[] } }[])[0]!.content.parts;
    const texts = (isThought: boolean): string =>
      parts.map(({ text, thought }) => ((thought === true) === isThought ? ((text as string | undefined) ?? "") : "")).join("");
    expect([content.text, content.reasoning]).toEqual([texts(false), texts(true)]);
    const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall as { name: string; args?: object }] : []));
    expect(content.calls).toEqual(calls.map(({ name, args }) => ({ name, args: JSON.parse(JSON.stringify(args ?? {})) as unknown })));
  });
  fc.assert(property, runs(400));
});

test("any other response is an ApiError, never another exception", () => {
  const property = fc.property(fc.array(anyAnswer, { minLength: 1, maxLength: 3 }), (answers) => {
    const [whole] = answers;
    const failures = [...FAILURES, "invalid_value", "upstream_timeout"];
    unlessRefused(() => {
      expectNoOtherFields(JSON.parse(geminiDialect.readCompletion(JSON.stringify(whole), geminiCall({})).body));
    }, failures);
    unlessRefused(() => expectGoodStream(readStream(answers).text, "public-name", { usage: true }), failures);
  });
  fc.assert(property, runs(400));
});
