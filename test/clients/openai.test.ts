import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream, USAGE } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, waitFor } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { failureOf } from "./failure-of.ts";
import { OPENAI_PACKAGES } from "./openai-packages.ts";
import { callWeather, WEATHER_CALL, WEATHER_TOOL } from "./weather-upstream.ts";

const endless = new ByHandUpstream();

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
  "up-weather": callWeather,
  "up-endless": endless.script,
  "up-silent": () => new Promise(() => {}),
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat", "weather", "endless", "silent"]), env: CANCELS });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const HELLO: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello!" }];

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  describe(name, () => {
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey });

    test("a completion has the public name of its model", async () => {
      const { data: answer, request_id: requestId } = await client.chat.completions
        .create({ model: "chat", messages: HELLO })
        .withResponse();
      expect(answer.choices[0]?.message.content).toBe("Hello world");
      expect(answer.choices[0]?.finish_reason).toBe("stop");
      expect(answer.model).toBe("chat");
      expect(answer.usage).toEqual(USAGE);
      expect(requestId).toMatch(/^req_/);
    });

    test("a stream arrives in chunks, without usage unless requested", async () => {
      const chunks = await Array.fromAsync(await client.chat.completions.create({ model: "chat", messages: HELLO, stream: true }));
      expect(textsOf(chunks)).toEqual(["", "Hello", " world"]);
      expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
      expect(chunks.filter((chunk) => chunk.usage)).toEqual([]);
      expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set(["chat"]));
    });

    test("a stream with include_usage has its usage once, in a last chunk of its own", async () => {
      const stream = await client.chat.completions.create({
        model: "chat",
        messages: HELLO,
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks = await Array.fromAsync(stream);
      expect(chunks.filter((chunk) => chunk.usage)).toHaveLength(1);
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE, model: "chat" });
    });

    test("the stream helper builds the complete completion", async () => {
      const stream = client.chat.completions.stream({ model: "chat", messages: HELLO, stream_options: { include_usage: true } });
      const answer = await stream.finalChatCompletion();
      expect(answer.choices[0]?.message).toMatchObject({ role: "assistant", content: "Hello world" });
      expect(answer.choices[0]?.finish_reason).toBe("stop");
      expect(answer.usage).toEqual(USAGE);
      expect(await stream.finalContent()).toBe("Hello world");
    });

    test("a tool call has the finish reason that makes agents continue", async () => {
      const answer = await client.chat.completions.create({ model: "weather", messages: HELLO, tools: [WEATHER_TOOL] });
      expect(answer.choices[0]?.message.tool_calls).toEqual([WEATHER_CALL]);
      expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
      expect(upstream.last().body["tools"]).toEqual([WEATHER_TOOL]);
    });

    test("the stream helper joins the fragments of a tool call", async () => {
      const answer = await client.chat.completions
        .stream({ model: "weather", messages: HELLO, tools: [WEATHER_TOOL] })
        .finalChatCompletion();
      expect(answer.choices[0]?.message.tool_calls).toMatchObject([WEATHER_CALL]);
      expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
    });

    test("the result of a tool is sent back to the model", async () => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        ...HELLO,
        { role: "assistant", content: null, tool_calls: [WEATHER_CALL] },
        { role: "tool", tool_call_id: WEATHER_CALL.id, content: "rain" },
      ];
      const answer = await client.chat.completions.create({ model: "weather", messages, tools: [WEATHER_TOOL] });
      expect(answer.choices[0]?.message.content).toBe("Hello world");
      expect(upstream.last().body["messages"]).toEqual(messages);
    });

    test("the model list has exactly the models that the key may call", async () => {
      const limited = await gateway.makeKey(["chat"]);
      const everything = await Array.fromAsync(client.models.list());
      const permitted = await Array.fromAsync(client.withOptions({ apiKey: limited.key }).models.list());
      expect(everything.map((model) => model.id)).toEqual(["chat", "weather", "endless", "silent"]);
      expect(permitted).toEqual([{ id: "chat", object: "model", created: expect.any(Number), owned_by: "test" }]);
    });

    test("a base URL with a trailing slash works", async () => {
      const careless = client.withOptions({ baseURL: `${gateway.baseUrl}/` });
      const answer = await careless.chat.completions.create({ model: "chat", messages: HELLO });
      expect(answer.choices[0]?.message.content).toBe("Hello world");
    });

    test("leaving the loop over a stream cancels the upstream call", async () => {
      for await (const chunk of await client.chat.completions.create({ model: "endless", messages: HELLO, stream: true })) {
        if (chunk.choices[0]?.delta.content === "Hello") break;
      }
      await endless.cancelled;
      expect(upstream.last().signal.aborted).toBe(true);
    });

    test("aborting a stream cancels the upstream call", async () => {
      const stream = await client.chat.completions.create({ model: "endless", messages: HELLO, stream: true });
      for await (const chunk of stream) {
        if (chunk.choices[0]?.delta.content === "Hello") stream.controller.abort();
      }
      await endless.cancelled;
      expect(upstream.last().signal.aborted).toBe(true);
    });

    test.each([
      { what: "a whole answer", stream: false },
      { what: "the first piece of a stream", stream: true },
    ])("an aborted wait for $what ends the call to the upstream", async ({ stream }) => {
      const seenBefore = upstream.requests.length;
      const controller = new AbortController();
      const failure = failureOf(
        client.chat.completions.create({ model: "silent", messages: HELLO, stream }, { signal: controller.signal }),
      );
      await waitFor(() => upstream.requests.length > seenBefore);
      controller.abort();
      expect(await failure).toBeInstanceOf(OpenAI.APIUserAbortError);
      await waitFor(() => upstream.last().signal.aborted);
    });
  });
}

function textsOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string[] {
  return chunks.flatMap((chunk) => chunk.choices[0]?.delta.content ?? []);
}
