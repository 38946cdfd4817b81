import * as fc from "fast-check";
import { answerOf, errorOf, RETRY_INFO } from "./gemini-answers.ts";

/** Arbitrary chat requests, sensible or not: where the contract allows anything, they have anything. */

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.option(fc.option(arbitrary, { nil: null }), { nil: undefined });

/** Mostly sensible values: a request that is rejected at once would not test the code after the check. */
function mostly<T, U>(sense: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 30, arbitrary: sense }, { weight: 1, arbitrary: other });
}

const junk = fc.jsonValue({ maxDepth: 2 });
const name = mostly(fc.constantFrom("weather", "time", "__proto__", "constructor"), fc.constant(""));
const callId = fc.constantFrom("a", "b", "c", "", "toString");
const words = fc.oneof(fc.constantFrom("", " ", "Hello!"), fc.string({ unit: "grapheme" }));
const argumentText = fc.oneof(fc.constantFrom("", "{", "[]", '{"city":"Oslo"}', '{"__proto__":{"a":1}}'), fc.json(), fc.string());

const url = mostly(
  fc.constantFrom("data:image/png;base64,iVBO", "https://x.test/a.png"),
  fc.oneof(fc.constantFrom("data:,x", "data:image/png;base64,", "http://x.test/a.png", "gs://b/a", "files/1"), fc.string()),
);

const textPart = fc.record({ type: fc.constantFrom("text", "refusal"), text: words, refusal: words });

const imagePart = fc.record({
  type: fc.constant("image_url"),
  image_url: fc.oneof(url, fc.record({ url, detail: fc.string() }, { requiredKeys: ["url"] })),
});

const oddPart = fc.record(
  {
    type: fc.constantFrom("input_audio", "file", "video_url", "__proto__"),
    input_audio: fc.record({ data: fc.base64String(), format: fc.constantFrom("wav", "mp3", "flac", "toString") }, { requiredKeys: [] }),
    file: fc.record(
      { file_data: url, file_id: fc.constantFrom("", "files/1"), filename: fc.constantFrom("a.pdf", "a", "") },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["type"] },
);

const part = mostly(fc.oneof(textPart, textPart, imagePart), oddPart);

const extraContent = fc.oneof(
  junk,
  words.map((signature) => ({ google: { thought_signature: signature } })),
);

const toolCall = fc.record(
  {
    id: callId,
    type: fc.constantFrom("function", "custom"),
    function: fc.record({ name, arguments: argumentText }, { requiredKeys: ["name"] }),
    extra_content: extraContent,
  },
  { requiredKeys: ["id", "type", "function"] },
);

const message = fc.record(
  {
    role: fc.constantFrom("system", "developer", "user", "assistant", "assistant", "tool", "function"),
    content: mostly(fc.oneof(words, fc.array(textPart, { minLength: 1, maxLength: 3 })), fc.constant(null)),
    name: some(name),
    tool_calls: some(fc.array(toolCall, { maxLength: 3 })),
    function_call: some(fc.record({ name, arguments: argumentText })),
    tool_call_id: some(callId),
    refusal: some(words),
    audio: some(fc.record({ id: callId })),
    extra_content: extraContent,
    reasoning_content: words,
  },
  { requiredKeys: ["role", "content"] },
);

const spoken = fc.record({ role: fc.constant("user"), content: fc.array(part, { minLength: 1, maxLength: 3 }) });

const declaredName = fc.constantFrom("weather", "time");
const schema = fc.dictionary(fc.string(), junk);

const tool = mostly(
  fc.record({
    type: fc.constant("function"),
    function: fc.record({ name: declaredName, parameters: schema, description: junk }, { requiredKeys: ["name"] }),
  }),
  fc.record({ type: fc.constantFrom("function", "custom"), function: fc.oneof(junk, fc.record({ name, parameters: junk })) }),
);

const named = mostly(declaredName, name).map((each) => ({ type: "function", function: { name: each } }));

const toolChoice = mostly(
  fc.oneof(
    fc.constantFrom("auto", "none", "required"),
    named,
    fc.record({
      type: fc.constant("allowed_tools"),
      allowed_tools: fc.record({ mode: fc.constantFrom("auto", "required"), tools: fc.array(named, { maxLength: 3 }) }),
    }),
  ),
  fc.oneof(fc.constant("odd"), schema),
);

const responseFormat = mostly(
  fc.oneof(
    fc.record({ type: fc.constantFrom("text", "json_object") }),
    fc.record({ type: fc.constant("json_schema"), json_schema: fc.record({ name: words, schema }, { requiredKeys: [] }) }),
  ),
  fc.record({ type: fc.constantFrom("json_schema", "grammar"), json_schema: junk }),
);

const penalty = fc.double({ noNaN: true, noDefaultInfinity: true });

export const chatBody = fc.record(
  {
    model: fc.constant("public-name"),
    messages: fc.array(fc.oneof(message, spoken), { minLength: 1, maxLength: 6 }),
    max_tokens: some(fc.integer({ min: 1 })),
    max_completion_tokens: some(fc.integer({ min: 1 })),
    temperature: some(fc.double({ min: 0, max: 2, noNaN: true })),
    top_p: some(fc.double({ min: 0, max: 1, noNaN: true })),
    top_k: mostly(fc.integer(), junk),
    n: mostly(fc.constant(1), fc.integer({ min: 1, max: 128 })),
    stop: some(fc.oneof(words, fc.array(words, { maxLength: 6 }))),
    frequency_penalty: some(penalty),
    presence_penalty: some(penalty),
    seed: some(mostly(fc.integer(), penalty)),
    logprobs: mostly(fc.constant(false), fc.constant(true)),
    tools: mostly(fc.array(tool, { minLength: 1, maxLength: 3 }), fc.constantFrom(null, [])),
    tool_choice: some(toolChoice),
    parallel_tool_calls: some(fc.boolean()),
    response_format: some(responseFormat),
    reasoning_effort: mostly(fc.constantFrom("none", "low", "high"), junk),
    modalities: mostly(fc.constant(["text"]), junk),
    user: some(words),
    stream: some(fc.boolean()),
    logit_bias: junk,
  },
  { requiredKeys: ["model", "messages"] },
);

/** Arbitrary responses of the documented shapes. */

const count = fc.oneof(fc.nat({ max: 100_000 }), fc.constant(undefined));

const usageMetadata = fc.oneof(
  fc.constant(undefined),
  fc.record({
    promptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    cachedContentTokenCount: count,
    toolUsePromptTokenCount: count,
    totalTokenCount: count,
  }),
);

const signature = fc.option(fc.base64String(), { nil: undefined });

const answerPart = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text: words, thought: fc.option(fc.boolean(), { nil: undefined }), thoughtSignature: signature }) },
  {
    weight: 2,
    arbitrary: fc.record({
      functionCall: fc.record(
        { id: fc.constantFrom("a", "b", ""), name: fc.constantFrom("weather", "time"), args: fc.dictionary(fc.string(), junk) },
        { requiredKeys: ["name"] },
      ),
      thoughtSignature: signature,
    }),
  },
  fc.constantFrom(
    { inlineData: { mimeType: "image/png", data: "iVBO" } },
    { executableCode: { code: "1" } },
    { codeExecutionResult: {} },
    {},
  ),
);

const FINISH_REASONS = ["STOP", "STOP", "STOP", "MAX_TOKENS", "SAFETY", "OTHER", "LANGUAGE", "MALFORMED_FUNCTION_CALL", "NEW_WORD"];

export const answerParts = fc.array(answerPart, { maxLength: 6 });

export const finishReason = fc.constantFrom(...FINISH_REASONS);

/**
 * The events of one response: its parts in groups, the finish reason in the last event, counts at any position, and events without content.
 */
export const streamOf = (parts: readonly object[], finish: string): fc.Arbitrary<object[]> =>
  fc
    .tuple(fc.array(fc.nat({ max: parts.length }), { maxLength: 4 }), fc.array(usageMetadata, { minLength: 6, maxLength: 6 }))
    .map(([cuts, counts]) => {
      const borders = [0, ...cuts.toSorted((one, other) => one - other), parts.length];
      const groups = borders.slice(1).map((border, at) => parts.slice(borders[at], border));
      return groups.map((group, at) =>
        answerOf(group.length === 0 ? undefined : group, at === groups.length - 1 ? finish : undefined, { usageMetadata: counts[at] }),
      );
    });

/** Any value instead of a response. */
export const anyAnswer: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      candidates: fc.oneof(
        junk,
        fc.array(fc.record({ content: fc.oneof(junk, fc.record({ parts: fc.array(junk) })), finishReason: fc.oneof(junk, finishReason) })),
      ),
      promptFeedback: fc.oneof(junk, fc.record({ blockReason: fc.oneof(junk, fc.constant("SAFETY")) })),
      usageMetadata: fc.oneof(junk, fc.dictionary(fc.constantFrom("promptTokenCount", "candidatesTokenCount", "totalTokenCount"), junk)),
      responseId: junk,
      error: fc.option(fc.oneof(junk, fc.constant(errorOf(429, "RESOURCE_EXHAUSTED", "slow", [RETRY_INFO])["error"])), { nil: undefined }),
    },
    { requiredKeys: [] },
  ),
);
