import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../../../test/support/long.ts";
import { callThatReports } from "../../../test/support/upstreams/mend-stream.ts";
import { usageChunk } from "../../../test/support/upstreams/mock-upstream.ts";
import { callOf, chatOf } from "../../../test/support/upstreams/upstream-call.ts";
import type { Deviation } from "../../models/deviation.ts";
import { countTokens, type CountedUsage } from "../../money/usage.ts";
import { ChunkMender } from "./chunk-mender.ts";
import { relayCompletion } from "./relay-completion.ts";

const PROMPT = 9;
const PROMPT_ESTIMATE = 1000;
/** 12 words, 59 bytes. */
const SENTENCE = "It was a bright cold day in April, and clocks were striking";

interface Wire {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

function counts(completion: number): Wire {
  return { prompt_tokens: PROMPT, completion_tokens: completion, total_tokens: PROMPT + completion };
}

/** A chunk of one choice, with usage if given. */
function piece(index: number, content: string | undefined, finishReason: string | null = null, usage?: object): string {
  const delta = content === undefined ? {} : { role: "assistant", content };
  const choices = [{ index, delta, finish_reason: finishReason }];
  return JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices, ...(usage && { usage }) });
}

const text = (index: number, content = SENTENCE, usage?: object): string => piece(index, content, null, usage);
const end = (index: number, usage?: object): string => piece(index, undefined, "stop", usage);
const cached = (tokens: number): string => usageChunk({ ...counts(12), prompt_tokens_details: { cached_tokens: tokens } });
const total = (completion: number): string => usageChunk(counts(completion));

interface StreamCharge extends CountedUsage {
  readonly reported: readonly Deviation[];
}

function stream(events: readonly string[], isWhole = true): StreamCharge {
  const reported: Deviation[] = [];
  const mender = new ChunkMender(callThatReports((deviation) => void reported.push(deviation)));
  for (const event of events) mender.take(event, []);
  if (isWhole) mender.requireFinished();
  return { ...countTokens(mender, PROMPT_ESTIMATE, isWhole), reported: reported.filter((name) => name.startsWith("usage_")) };
}

function json(texts: readonly string[], completion: number, more: object = {}): StreamCharge {
  const reported: Deviation[] = [];
  const choices = texts.map((content, index) => ({ index, message: { role: "assistant", content }, finish_reason: "stop" }));
  const answer = { id: "c", object: "chat.completion", created: 1, model: "m", choices, usage: counts(completion), ...more };
  const read = relayCompletion(
    JSON.stringify(answer),
    callThatReports((deviation) => void reported.push(deviation)),
  );
  return { ...countTokens(read, PROMPT_ESTIMATE, true), reported };
}

const charge = (completionTokens: number, provenance = "measured"): object => ({
  usage: { promptTokens: PROMPT, completionTokens },
  provenance,
});

describe("a stream with several choices", () => {
  test("is charged the sum of one usage frame for each choice, as llama.cpp sends them", () => {
    const events = [text(0), text(1), text(2), end(1), total(12), end(0), total(13), end(2), total(14), "[DONE]"];
    expect(stream(events)).toMatchObject({ ...charge(39), reported: ["usage_per_choice"] });
  });

  test("is charged the sum where the server generates one choice after the other", () => {
    const events = [text(0), end(0), total(12), text(1), end(1), total(13), text(2), end(2), total(14), "[DONE]"];
    expect(stream(events)).toMatchObject({ ...charge(39), reported: expect.arrayContaining(["usage_per_choice"]) });
  });

  test("is charged the sum where each choice has its counts on its last chunk", () => {
    const events = [text(0), text(1), end(0, counts(12)), end(1, counts(12)), "[DONE]"];
    expect(stream(events)).toMatchObject(charge(24));
  });

  test("that breaks off is charged for the counted choices, and the estimate of the others", () => {
    const events = [text(0), text(1), end(1), total(12)];
    expect(stream(events, false)).toMatchObject(charge(12 + 15, "estimated"));
  });

  test("is charged the one total that the format defines", () => {
    const events = [text(0), text(1), text(2), end(1), end(0), end(2), total(39), "[DONE]"];
    expect(stream(events)).toMatchObject({ ...charge(39), reported: [] });
  });

  test("is charged the last of running totals, wherever they are", () => {
    const beside = [text(0, SENTENCE, counts(12)), text(1, SENTENCE, counts(25)), end(0, counts(25)), end(1, counts(25)), "[DONE]"];
    expect(stream(beside)).toMatchObject(charge(25));
    const apart = [text(0), total(12), text(1), total(25), end(0), total(25), end(1), total(26), "[DONE]"];
    expect(stream(apart)).toMatchObject(charge(26));
  });

  test("is charged the total after per-choice counts, as vLLM sends them with continuous_usage_stats", () => {
    const first = [text(0, SENTENCE, counts(13)), text(1, SENTENCE, counts(12))];
    expect(stream(first, false)).toMatchObject(charge(25, "partial"));
    expect(stream([...first, end(0, counts(14)), end(1, counts(13)), total(27), "[DONE]"])).toMatchObject(charge(27));
  });

  test("counts the prompt once, and the lowest cached count of any choice", () => {
    const { usage } = stream([text(0), text(1), end(0), cached(2), end(1), cached(8), "[DONE]"]);
    expect(usage).toMatchObject({ promptTokens: PROMPT, cachedTokens: 2 });
  });
});

describe("a JSON response with several choices", () => {
  test("whose usage covers the first choice only, by llama.cpp's timings, has the others estimated", () => {
    const texts = ["你好", "你好", "你好"];
    expect(json(texts, 2, { timings: { predicted_n: 2 } })).toMatchObject({
      ...charge(2 + 3, "estimated"),
      reported: ["usage_per_choice"],
    });
  });

  test("whose first choice reached the limit counts the limit for every other that did, and returns the sum", () => {
    const chat = chatOf({ max_tokens: 8 });
    const choices = ["length", "length", "stop"].map((finish_reason, index) => ({ index, message: { content: SENTENCE }, finish_reason }));
    const answer = { choices, usage: counts(8), timings: { predicted_n: 8 } };
    const read = relayCompletion(JSON.stringify(answer), callOf(chat));
    // The last choice is estimated at 15 tokens, and the limit was 8.
    expect(countTokens(read, PROMPT_ESTIMATE, true)).toMatchObject(charge(24, "estimated"));
    const allAtLimit = { ...answer, choices: choices.slice(0, 2) };
    const exact = relayCompletion(JSON.stringify(allAtLimit), callOf(chat));
    expect(countTokens(exact, PROMPT_ESTIMATE, true)).toMatchObject(charge(16));
    expect(JSON.parse(exact.body)).toMatchObject({ usage: counts(16) });
    // The context may have ended it, with fewer tokens than the limit.
    const atContext = relayCompletion(JSON.stringify(allAtLimit), callOf(chatOf({ max_tokens: 500 })));
    expect(countTokens(atContext, PROMPT_ESTIMATE, true)).toMatchObject(charge(8 + 15, "estimated"));
  });

  test("with fewer tokens than words is charged the estimate", () => {
    expect(json([SENTENCE, SENTENCE, SENTENCE], 12)).toMatchObject({ ...charge(45, "estimated"), reported: ["usage_implausible"] });
  });

  test("is charged the reported usage where it is plausible", () => {
    expect(json([SENTENCE, SENTENCE, SENTENCE], 36)).toMatchObject({ ...charge(36), reported: [] });
  });
});

describe("one choice", () => {
  test.each([
    ["words", `${SENTENCE} `.repeat(10), 1],
    ["characters", "x".repeat(10_000), 1],
    ["no tokens at all", "y".repeat(10_000), 0],
  ])("with far fewer tokens than %s is charged the estimate", (_what, content, reported) => {
    const expected = { ...charge(Math.ceil(content.length / 4), "estimated"), reported: ["usage_implausible"] };
    expect(json([content], reported)).toMatchObject(expected);
    expect(stream([text(0, content), end(0), total(reported), "[DONE]"])).toMatchObject(expected);
  });

  test("with a server's fixed text, such as a guardrail's refusal, may have no tokens", () => {
    expect(json(["I cannot help with that request."], 0)).toMatchObject({ ...charge(0), reported: [] });
  });

  test("with a base64 image is charged the reported usage", () => {
    const picture = `![](data:image/png;base64,${"iVBORw0KGgo".repeat(100_000)})`;
    expect(json([picture], 1290)).toMatchObject({ ...charge(1290), reported: [] });
    expect(stream([text(0, picture), end(0), total(1290), "[DONE]"])).toMatchObject({ ...charge(1290), reported: [] });
  });
});

/** Tokens as in real vocabularies: part of a word, a word after a space, a run of one character, whitespace, a Chinese word. */
const tokens = fc.oneof(
  fc.constantFrom(
    "a",
    " the",
    "ing",
    " internationalization",
    "7",
    " {",
    "}\n\n",
    ";\n//",
    "//\n//",
    "\t\t\t\t",
    " ".repeat(128),
    "\n\n\n",
  ),
  fc.constantFrom("=".repeat(64), "-".repeat(112), ` ${"*".repeat(96)}`, "你好", "。", "微信公众号天天中彩票", "नमस्ते", " अंतरराष्ट्रीय", "🙂"),
);
const choicesOfTokens = fc.array(fc.array(tokens, { maxLength: 60 }), { minLength: 1, maxLength: 4 });

test("charges correct counts unchanged, whatever the text", () => {
  const honest = fc.property(choicesOfTokens, fc.nat(50), (choices, unseen) => {
    const completion = choices.flat().length + unseen;
    const expected = { ...charge(completion), reported: [] };
    expect(
      json(
        choices.map((each) => each.join("")),
        completion,
      ),
    ).toMatchObject(expected);
    const pieces = choices.flatMap((each, index) => [text(index, ""), ...each.map((token) => text(index, token))]);
    expect(stream([...pieces, ...choices.map((_, index) => end(index)), total(completion), "[DONE]"])).toMatchObject(expected);
  });
  fc.assert(honest, runs(300));
});

test("adds up per-choice counts, however the choices are interleaved", () => {
  const turns = fc.array(fc.nat(3), { maxLength: 40 });
  const summed = fc.property(
    turns,
    fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 }),
    fc.array(fc.integer({ min: 60, max: 99 }), { minLength: 4 }),
    (order, ends, own) => {
      const opened = ends.map((index) => text(index, ""));
      const words = order.filter((index) => ends.includes(index)).map((index) => text(index, " word"));
      const closed = ends.flatMap((index) => [end(index), total(own[index]!)]);
      const sum = ends.reduce((all, index) => all + own[index]!, 0);
      expect(stream([...opened, ...words, ...closed, "[DONE]"])).toMatchObject(charge(sum));
    },
  );
  fc.assert(summed, runs(300));
});
