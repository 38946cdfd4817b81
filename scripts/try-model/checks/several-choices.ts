import type { Expectations } from "../expectations.ts";
import { clientOf, receiptOf, user, type Usage } from "../calls.ts";
import { MODEL, PLAIN_MODEL, type Check } from "../trial.ts";

const CHOICES = 3;

/** `ignore_eos` is an extension of llama.cpp: each choice then has exactly `max_tokens` tokens, so their sum is known. */
const REQUEST = { messages: user("Tell a long story."), max_tokens: 8, n: CHOICES, ignore_eos: true };

const MADE = CHOICES * REQUEST.max_tokens;

/** In a JSON body, llama.cpp counts the tokens of only one choice. A choice that ended by `length` has as many tokens as its limit. */
function inJson(model: string): Check {
  return {
    name: `n: 3 as JSON, ${model}: all choices charged`,
    async run(trial, expect) {
      const { data, request_id: requestId } = await clientOf(trial)
        .chat.completions.create({ ...REQUEST, model })
        .withResponse();
      expect.equal(
        "finish reasons",
        data.choices.map((choice) => choice.finish_reason),
        ["length", "length", "length"],
      );
      expectSum(expect, data.usage!, (await receiptOf(trial, requestId!)).usage);
    },
  };
}

/** In a stream, llama.cpp sends a usage chunk for each choice, with the tokens of that choice only. */
function inStream(model: string): Check {
  return {
    name: `n: 3 as a stream, ${model}: all choices charged, and one usage chunk`,
    async run(trial, expect) {
      const { data: stream, request_id: requestId } = await clientOf(trial)
        .chat.completions.create({ ...REQUEST, model, stream: true, stream_options: { include_usage: true } })
        .withResponse();
      const chunks = await Array.fromAsync(stream);
      const ended = chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.finish_reason === "length");
      expect.equal("choices that ended", new Set(ended.map((choice) => choice.index)), new Set([0, 1, 2]));
      const counted = chunks.filter((chunk) => chunk.usage);
      expect.equal("number of usage chunks", counted.length, 1);
      expectSum(expect, counted.at(-1)!.usage!, (await receiptOf(trial, requestId!)).usage);
    },
  };
}

function expectSum(expect: Expectations, reported: Usage, charged: Usage): void {
  expect.equal("output tokens charged", charged.completion_tokens, MADE);
  expect.equal("output tokens reported to the caller", reported.completion_tokens, MADE);
}

export const SEVERAL_CHOICES: readonly Check[] = [MODEL, PLAIN_MODEL].flatMap((model) => [inJson(model), inStream(model)]);
