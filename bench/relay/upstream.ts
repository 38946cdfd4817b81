import { setImmediate } from "node:timers/promises";

/**
 * An upstream that returns a small JSON body, or a stream with the number of words in its argument, in the format of the path: chat
 * completions, Anthropic's Messages or OpenAI's Responses. Prints its URL.
 */
const count = Number(process.argv[2]);
const SAYS = "Hello there, this is an answer of some words so that it has a size.";
const words = Array.from({ length: count }, (_, at) => ` word${at}`);

interface Format {
  readonly json: string;
  /** Each is a separate packet, as with real models. */
  readonly frames: readonly string[];
}

function chat(): Format {
  const head = `"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1770933883,"model":"m","service_tier":"default"`;
  const chunk = (delta: object, finishReason: string | null): string =>
    `data: {${head},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}],"usage":null}\n\n`;
  const usage = { prompt_tokens: 16, completion_tokens: count, total_tokens: 16 + count };
  const message = { role: "assistant", content: SAYS, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: "stop" }];
  return {
    json: JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion", created: 1_770_933_883, model: "m", choices, usage }),
    frames: [
      chunk({ role: "assistant", content: "" }, null),
      ...words.map((content) => chunk({ content }, null)),
      chunk({}, "stop"),
      `data: {${head},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`,
      "data: [DONE]\n\n",
    ],
  };
}

function named(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function messages(): Format {
  const usage = { input_tokens: 16, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: count };
  const head = { id: "msg_bench", type: "message", role: "assistant", model: "m", stop_sequence: null };
  const content = [{ type: "text", text: SAYS }];
  const events = [
    { type: "message_start", message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  return { json: JSON.stringify({ ...head, content, stop_reason: "end_turn", usage }), frames: events.map(named) };
}

function item(text: string): object {
  return {
    id: "msg_bench",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

function responses(): Format {
  const usage = { input_tokens: 16, output_tokens: count, total_tokens: 16 + count };
  const head = { id: "resp_bench", object: "response", created_at: 1_770_933_883, model: "m", error: null, incomplete_details: null };
  const text = words.join("");
  const place = { item_id: "msg_bench", output_index: 0, content_index: 0 };
  const events = [
    { type: "response.created", response: { ...head, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: item("") },
    ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_item.done", output_index: 0, item: item(text) },
    { type: "response.completed", response: { ...head, status: "completed", output: [item(text)], usage } },
  ];
  const numbered = events.map(({ type, ...fields }, at) => named(Object.assign({ type, sequence_number: at }, fields)));
  return { json: JSON.stringify({ ...head, status: "completed", output: [item(SAYS)], usage }), frames: numbered };
}

const FORMATS: Readonly<Record<string, Format>> = { completions: chat(), messages: messages(), responses: responses() };

function stream(frames: readonly string[]): ReadableStream {
  const pieces = frames.map((text) => Buffer.from(text));
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      const frame = pieces[at++];
      if (!frame) return controller.close();
      controller.enqueue(frame);
      await setImmediate();
    },
  });
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { json, frames } = FORMATS[new URL(request.url).pathname.split("/").at(-1)!]!;
    const { stream: isStream } = (await request.json()) as { stream?: boolean };
    if (!isStream) return new Response(json, { headers: { "content-type": "application/json" } });
    return new Response(stream(frames), { headers: { "content-type": "text/event-stream" } });
  },
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}/v1` })}\n`);
