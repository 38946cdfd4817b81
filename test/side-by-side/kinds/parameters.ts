import { chat, HELLO, type Body, type SdkKind } from "../kind.ts";

const WEATHER = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const TIME = { type: "function", function: { name: "time", parameters: { type: "object", properties: {} } } };
const SCHEMA = {
  type: "json_schema",
  json_schema: {
    name: "place",
    strict: true,
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  },
};
const PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const CALL = { id: "call_0", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } };
const parts = (...content: object[]): Body => ({
  messages: [{ role: "user", content: [{ type: "text", text: "What is it?" }, ...content] }],
});
/** Each level adds two levels of JSON. */
const nested = (levels: number): object => (levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } });
const deepTool = (levels: number): object => ({ ...WEATHER, function: { name: "weather", parameters: nested(levels) } });

/** Parameters of chat completions: all of them are valid at OpenAI. */
export const PARAMETERS: readonly SdkKind[] = [
  chat("plain"),
  chat("a stream", { stream: true }),
  chat("a stream with include_usage", { stream: true, stream_options: { include_usage: true } }),
  chat("a stream with include_usage false", { stream: true, stream_options: { include_usage: false } }),
  chat("stream false", { stream: false }),
  chat("a system message", { messages: [{ role: "system", content: "Be short." }, ...HELLO] }),
  chat("a developer message", { messages: [{ role: "developer", content: "Be short." }, ...HELLO] }),
  chat("a conversation", { messages: [...HELLO, { role: "assistant", content: "Yes?" }, { role: "user", content: "Well." }] }),
  chat("names of speakers", { messages: [{ role: "user", name: "Ann", content: "Hello!" }] }),
  chat("text in parts", parts({ type: "text", text: "Well?" })),
  chat("an empty text", { messages: [{ role: "user", content: "" }] }),
  chat("other scripts and emoji", { messages: [{ role: "user", content: "Grüße, 你好, 👩‍👩‍👧, \u0000 and \u2028" }] }),
  chat("a tool", { tools: [WEATHER] }),
  chat("a tool, streamed", { tools: [WEATHER], stream: true }),
  chat("two tools", { tools: [WEATHER, TIME], parallel_tool_calls: true }),
  chat("two tools, streamed", { tools: [WEATHER, TIME], stream: true, stream_options: { include_usage: true } }),
  chat("parallel_tool_calls false", { tools: [WEATHER], parallel_tool_calls: false }),
  chat("tool_choice of a function", { tools: [WEATHER], tool_choice: { type: "function", function: { name: "weather" } } }),
  chat("tool_choice required", { tools: [WEATHER], tool_choice: "required" }),
  chat("tool_choice none", { tools: [WEATHER], tool_choice: "none" }),
  chat("the result of a tool", {
    tools: [WEATHER],
    messages: [
      ...HELLO,
      { role: "assistant", content: null, tool_calls: [CALL] },
      { role: "tool", tool_call_id: "call_0", content: "rain" },
    ],
  }),
  chat("the result of a tool, after tool calls without content", {
    tools: [WEATHER],
    messages: [...HELLO, { role: "assistant", tool_calls: [CALL] }, { role: "tool", tool_call_id: "call_0", content: "rain" }],
  }),
  chat("functions, the predecessor of tools", { functions: [WEATHER.function], function_call: "auto" }),
  chat("a tool schema of 200 levels", { tools: [deepTool(98)] }),
  chat("structured output", { response_format: SCHEMA }),
  chat("structured output, streamed", { response_format: SCHEMA, stream: true }),
  chat("json_object", { response_format: { type: "json_object" } }),
  chat("response_format text", { response_format: { type: "text" } }),
  chat("an image by its URL", parts({ type: "image_url", image_url: { url: "https://example.com/a.png" } })),
  chat("an image in the request", parts({ type: "image_url", image_url: { url: PIXEL, detail: "low" } })),
  chat("audio in the request", parts({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } })),
  chat("a file in the request", parts({ type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } })),
  chat("n of 2", { n: 2 }),
  chat("n of 2, streamed", { n: 2, stream: true }),
  chat("logprobs", { logprobs: true, top_logprobs: 2 }),
  chat("one stop sequence", { stop: "END" }),
  chat("four stop sequences", { stop: ["a", "b", "c", "d"] }),
  chat("a seed", { seed: 7 }),
  chat("temperature 0", { temperature: 0 }),
  chat("top_p", { top_p: 0.5 }),
  chat("penalties", { presence_penalty: 0.5, frequency_penalty: -0.5 }),
  chat("logit_bias", { logit_bias: { "50256": -100 } }),
  chat("max_tokens", { max_tokens: 20 }),
  chat("max_completion_tokens", { max_completion_tokens: 20 }),
  chat("reasoning_effort", { reasoning_effort: "low" }),
  chat("verbosity", { verbosity: "low" }),
  chat("service_tier", { service_tier: "flex" }),
  chat("prediction", { prediction: { type: "content", content: "Hello" } }),
  chat("modalities", { modalities: ["text"] }),
  chat("web_search_options", { web_search_options: {} }),
  chat("prompt_cache_key and safety_identifier", { prompt_cache_key: "a", safety_identifier: "b" }),
  chat("a user", { user: "ann" }),
  chat("metadata and store", { metadata: { project: "x" }, store: false }),
  chat("null for optional fields", { temperature: null, stop: null, max_tokens: null, user: null }),
];

/** Values that OpenAI does not document. */
export const BAD_VALUES: readonly SdkKind[] = [
  chat("five stop sequences", { stop: ["a", "b", "c", "d", "e"] }),
  chat("temperature as a string", { temperature: "0.5" }),
  chat("temperature 3", { temperature: 3 }),
  chat("max_tokens as a string", { max_tokens: "20" }),
  chat("max_tokens 0", { max_tokens: 0 }),
  chat("max_tokens -1", { max_tokens: -1 }),
  chat("both limits", { max_tokens: 20, max_completion_tokens: 30 }),
  chat("n of 0", { n: 0 }),
  chat("null content", { messages: [{ role: "user", content: null }] }),
  chat("null content of an assistant without tool calls", { messages: [...HELLO, { role: "assistant", content: null }] }),
  chat("content that is an empty list", { messages: [{ role: "user", content: [] }] }),
  chat("no messages", { messages: [] }),
  chat("an unknown role", { messages: [{ role: "robot", content: "Hello!" }] }),
  chat("tool arguments as an object", {
    tools: [WEATHER],
    messages: [
      ...HELLO,
      { role: "assistant", content: null, tool_calls: [{ ...CALL, function: { name: "weather", arguments: { city: "Oslo" } } }] },
      { role: "tool", tool_call_id: "call_0", content: "rain" },
    ],
  }),
  chat("tools that are an empty list", { tools: [] }),
  chat("a tool schema of 300 levels", { tools: [deepTool(148)] }),
  chat("an unknown field", { shape: "round" }),
  chat("an unknown field of a message", { messages: [{ role: "user", content: "Hello!", shape: "round" }] }),
  chat("a field that another server knows", { top_k: 5 }),
  chat("an unknown model", { model: "no-such-model" }),
  chat("an empty model", { model: "" }),
];
