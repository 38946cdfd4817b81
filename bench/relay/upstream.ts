import { setImmediate } from "node:timers/promises";

/** An upstream that returns a small JSON body, or a stream with the number of chunks in its argument. Prints its URL. */
const count = Number(process.argv[2]);
const head = `"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1770933883,"model":"m","service_tier":"default"`;
const chunk = (delta: object, finishReason: string | null): string =>
  `data: {${head},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finishReason)}}],"usage":null}\n\n`;
const usage = { prompt_tokens: 16, completion_tokens: count, total_tokens: 16 + count };
const frames = [
  chunk({ role: "assistant", content: "" }, null),
  ...Array.from({ length: count }, (_, at) => chunk({ content: ` word${at}` }, null)),
  chunk({}, "stop"),
  `data: {${head},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`,
  "data: [DONE]\n\n",
].map((text) => Buffer.from(text));
const message = { role: "assistant", content: "Hello there, this is an answer of some words so that it has a size.", refusal: null };
const answer = JSON.stringify({
  id: "chatcmpl-bench",
  object: "chat.completion",
  created: 1_770_933_883,
  model: "m",
  choices: [{ index: 0, message, logprobs: null, finish_reason: "stop" }],
  usage,
});

/** Each chunk is a separate packet, as with real models. */
function stream(): ReadableStream {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      const frame = frames[at++];
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
    const { stream: isStream } = (await request.json()) as { stream?: boolean };
    if (!isStream) return new Response(answer, { headers: { "content-type": "application/json" } });
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } });
  },
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}/v1` })}\n`);
