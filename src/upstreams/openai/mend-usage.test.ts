import { expect, test } from "bun:test";
import { callThatReports, mendStream } from "../../../test/support/upstreams/mend-stream.ts";
import { chunk, completion, usageChunk } from "../../../test/support/upstreams/mock-upstream.ts";
import { relayCompletion } from "./relay-completion.ts";

const COUNTS = { prompt_tokens: 45, completion_tokens: 12, total_tokens: 57 };
const SPOKEN = [chunk({ role: "assistant", content: "" }), chunk({ content: "Hello" })];
const STOP = JSON.parse(chunk({}, "stop")) as { choices: object[] };

const inGroqsField = JSON.stringify({ ...STOP, x_groq: { id: "req_1", usage: { queue_time: 0.1, ...COUNTS } } });
const inTheChoice = JSON.stringify({ ...STOP, choices: [{ ...STOP.choices[0], usage: COUNTS }] });

test.each([
  ["a field of Groq's own", inGroqsField],
  ["the choice that ends", inTheChoice],
])("moves token counts of a stream in %s to the usage chunk", (_place, last) => {
  const { chunks, reported } = mendStream([...SPOKEN, last, "[DONE]"]);
  expect(chunks.at(-1)!.usage).toMatchObject(COUNTS);
  expect(reported).toEqual(["usage_misplaced"]);
});

test("token counts in usage take precedence over those in other fields", () => {
  const wrong = { ...COUNTS, completion_tokens: 1, total_tokens: 46 };
  const last = JSON.stringify({ ...JSON.parse(usageChunk(COUNTS)), x_groq: { usage: wrong } });
  expect(mendStream([...SPOKEN, JSON.stringify(STOP), last, "[DONE]"]).chunks.at(-1)!.usage).toEqual(COUNTS);
});

test.each(["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"])(
  "what was cached is where clients look for it, though the upstream calls it %s",
  (name) => {
    const expected = { ...COUNTS, [name]: 32, prompt_tokens_details: { cached_tokens: 32 } };
    const { chunks, reported } = mendStream([...SPOKEN, JSON.stringify(STOP), usageChunk({ ...COUNTS, [name]: 32 }), "[DONE]"]);
    expect(chunks.at(-1)!.usage).toEqual(expected);
    expect(reported).toEqual([]);

    const answer = { ...completion(), usage: { ...COUNTS, [name]: 32, prompt_tokens_details: { cached_tokens: 0 } } };
    const { body, usage } = relayCompletion(
      JSON.stringify(answer),
      callThatReports(() => {}),
    );
    expect(JSON.parse(body)).toMatchObject({ usage: expected });
    expect(usage?.cachedTokens).toBe(32);
  },
);

test("what the operator pays is not in the usage, and is not a format deviation", () => {
  const own = { ...COUNTS, is_batch: false };
  const paid = {
    cost: 0.95,
    cost_details: { upstream_inference_cost: 19 },
    is_byok: false,
    cost_in_usd_ticks: 37_756_000,
    estimated_cost: 0.95,
  };
  const { text, chunks, reported } = mendStream([...SPOKEN, JSON.stringify(STOP), usageChunk({ ...paid, ...own }), "[DONE]"]);
  expect(chunks.at(-1)!.usage).toEqual(own);
  expect([text.includes("cost"), reported]).toEqual([false, []]);
  const answer = { ...completion(), cost: 1, usage: { ...COUNTS, ...paid } };
  const { body } = relayCompletion(
    JSON.stringify(answer),
    callThatReports((deviation) => expect(deviation).toBeUndefined()),
  );
  expect(JSON.parse(body)).toMatchObject({ cost: 1, usage: COUNTS });
  expect(Object.keys((JSON.parse(body) as { usage: object }).usage)).toEqual(Object.keys(COUNTS));
});
