/** An upstream that always returns the same small response. Prints its URL. */
const answer = JSON.stringify({
  id: "chatcmpl-D8Z5f52zQqikDBEKQMQoYcWMcWPeU",
  object: "chat.completion",
  created: 1_770_933_883,
  model: "m",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hello there, this is an answer of some words so that it has a size.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 16, completion_tokens: 363, total_tokens: 379, prompt_tokens_details: { cached_tokens: 0 } },
});
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    await request.bytes();
    return new Response(answer, { headers: { "content-type": "application/json" } });
  },
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}/v1` })}\n`);
