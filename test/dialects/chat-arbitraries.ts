import * as fc from "fast-check";

/** Chat requests as clients may write them: sensible requests, and everything else that the contract allows. */

type Json = Record<string, unknown>;
type Choice = fc.Arbitrary<unknown>;

/** How odd values are mixed with sensible ones. */
type Mix = (sensible: Choice, odd: Choice) => Choice;

const ANYTHING = fc.jsonValue({ maxDepth: 2 });
const URLS = fc.constantFrom("http://a.example/b.png", "data:image/tiff;base64,AAAA", "data:application/zip;base64,AAAA", "data:,", "");

function bodies(or: Mix): fc.Arbitrary<Json> {
  const parameters = parametersOf(or);
  const unknown = fc.dictionary(fc.string({ minLength: 1 }), ANYTHING, { maxKeys: 2 });
  return fc
    .tuple(fc.array(messagesOf(or), { minLength: 1, maxLength: 8 }), parameters, unknown)
    .map(([messages, known, others]) => ({ ...others, ...known, model: "public", messages }));
}

/** An object with some of these fields. */
function some(fields: Record<string, Choice>): fc.Arbitrary<Json> {
  return fc.record(fields, { requiredKeys: [] });
}

const WORDS = fc.oneof(fc.constantFrom("", " ", "\n", "Hello", "Æ 😀 ", "{}"), fc.string());
const IDS = fc.oneof(fc.constantFrom("call_1", "call.2", "toolu_3", ""), fc.string());
const MARK = fc.constantFrom({ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }, "x", null);

function contentOf(or: Mix): Choice {
  const image = or(fc.constantFrom("https://a.example/b.png", "data:image/png;base64,AAAA"), URLS);
  const file = or(
    fc.constantFrom("data:application/pdf;base64,AAAA", "data:text/plain;base64,SGVsbG8=", "data:text/plain;base64,ICA="),
    URLS,
  );
  const text = fc.oneof(
    some({ text: WORDS, cache_control: MARK }).map((fields) => ({ type: "text", ...fields })),
    some({ refusal: WORDS }).map((fields) => ({ type: "refusal", ...fields })),
  );
  const media = fc.oneof(
    fc.oneof(image, fc.record({ url: image, detail: WORDS })).map((given) => ({ type: "image_url", image_url: given })),
    fc.record({ file_data: file, filename: WORDS }).map((given) => ({ type: "file", file: given })),
  );
  const part = or(
    fc.oneof(text, media),
    fc.oneof(
      fc.string({ minLength: 1 }).map((type) => ({ type })),
      fc.constant({ type: "file", file: { file_id: "file_1" } }),
    ),
  );
  return fc.oneof(WORDS, fc.array(part, { minLength: 1, maxLength: 4 }));
}

function messagesOf(or: Mix): Choice {
  const content = contentOf(or);
  const words = or(
    fc.oneof(
      WORDS,
      fc.array(
        WORDS.map((text) => ({ type: "text", text })),
        { minLength: 1 },
      ),
    ),
    content,
  );
  const calls = fc.array(toolCallOf(or), { maxLength: 3 });
  const legacy = fc.record({ name: nameOf(or), arguments: WORDS });
  const strange = some({
    role: fc.constantFrom("user", "assistant", "tool"),
    content,
    audio: ANYTHING,
    name: ANYTHING,
    function_call: legacy,
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ role: fc.constant("user"), content }) },
    { weight: 2, arbitrary: fc.record({ role: fc.constantFrom("system", "developer"), content: words, cache_control: MARK }) },
    { weight: 2, arbitrary: fc.record({ role: fc.constant("assistant"), content: words, refusal: WORDS }) },
    { weight: 3, arbitrary: fc.record({ role: fc.constant("assistant"), content: fc.constant(null), tool_calls: calls }) },
    { weight: 3, arbitrary: fc.record({ role: fc.constant("tool"), tool_call_id: IDS, content }) },
    { weight: 1, arbitrary: fc.record({ role: fc.constant("assistant"), function_call: legacy }) },
    { weight: 1, arbitrary: fc.record({ role: fc.constant("function"), name: nameOf(or), content: WORDS }) },
    { weight: 1, arbitrary: or(fc.constant({ role: "user", content: "Go on." }), strange) },
  );
}

function nameOf(or: Mix): Choice {
  return or(fc.constantFrom("weather", "now", "look-up"), fc.oneof(fc.constantFrom("get weather", ""), fc.string()));
}

function toolCallOf(or: Mix): Choice {
  const thought = fc.oneof(
    fc.record({ type: fc.constant("thinking"), thinking: WORDS, signature: WORDS }),
    fc.record({ type: fc.constant("redacted_thinking"), data: WORDS }),
    ANYTHING,
  );
  const extra = fc.oneof(some({ anthropic: some({ thinking: fc.array(thought, { maxLength: 3 }) }) }), ANYTHING);
  const called = fc.record({ name: nameOf(or), arguments: fc.oneof(fc.json(), WORDS) });
  const good = fc.record({ id: IDS, type: fc.constant("function"), function: called, extra_content: extra });
  return or(good, some({ id: IDS, type: fc.constantFrom("function", "custom"), function: some({ name: nameOf(or) }) }));
}

function parametersOf(or: Mix): fc.Arbitrary<Json> {
  const fn = fc.record({ name: nameOf(or), description: WORDS, parameters: fc.constantFrom({}, { type: "object" }), strict: fc.boolean() });
  const tool = or(fc.record({ type: fc.constant("function"), function: fn, cache_control: MARK }), fc.constant({ type: "custom" }));
  const named = nameOf(or).map((name) => ({ type: "function", function: { name } }));
  const schema = { type: "object", properties: { a: { type: "string", minLength: 1 } } };
  return some({
    max_tokens: fc.integer({ min: 1, max: 200_000 }),
    max_completion_tokens: fc.integer({ min: 1, max: 200_000 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.oneof(WORDS, fc.array(WORDS, { maxLength: 3 })),
    stream: fc.boolean(),
    tools: fc.array(tool, { maxLength: 3 }),
    tool_choice: or(fc.constantFrom("auto", "none", "required"), fc.oneof(named, fc.constantFrom("x", {}))),
    parallel_tool_calls: fc.boolean(),
    response_format: or(
      fc.constantFrom({ type: "text" }, { type: "json_schema", json_schema: { schema } }),
      fc.constantFrom({ type: "json_object" }, { type: "json_schema" }),
    ),
    reasoning_effort: or(fc.constantFrom("none", "minimal", "low", "medium", "high", "xhigh", "max"), ANYTHING),
    user: fc.oneof(WORDS, fc.constant("ada@example.com")),
    safety_identifier: WORDS,
    seed: fc.integer(),
    metadata: ANYTHING,
    n: or(fc.constant(1), fc.integer({ min: 1, max: 3 })),
    logprobs: or(fc.constant(false), fc.boolean()),
  });
}

export const sensibleBodies = bodies((sensible) => sensible);
export const oddBodies = bodies((sensible, odd) => fc.oneof({ weight: 6, arbitrary: sensible }, { weight: 1, arbitrary: odd }));
