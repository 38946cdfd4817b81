import { afterAll, describe, expect, test } from "bun:test";
import type { OpenAI as Client } from "openai";
import { configFor, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { ByHandUpstream } from "./by-hand-upstream.ts";
import { failureOf } from "./failure-of.ts";
import { OPENAI_PACKAGES } from "./openai-packages.ts";

const byHand = new ByHandUpstream();

const upstream = startMockUpstream({
  "up-chat": byHand.script,
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat"]) });
const { key: apiKey } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const HELLO = { model: "chat", messages: [{ role: "user", content: "Hello!" }] } satisfies Client.ChatCompletionCreateParams;

const ERROR_FRAME = 'data: {"error":{"message":"out of memory","type":"server_error"}}\n\n';
const MORE_TEXT = `data: ${GOOD_CHUNKS[2]}\n\n`;

/** How the upstream fails after "Hello", and the text that it has sent until then. */
const BREAKS = [
  { what: "an error frame", breakOff: () => byHand.write(ERROR_FRAME), text: "Hello" },
  { what: "an error frame right behind more text", breakOff: () => byHand.write(MORE_TEXT + ERROR_FRAME), text: "Hello world" },
  { what: "an end without a finish reason", breakOff: () => byHand.end(), text: "Hello" },
  {
    what: "a [DONE] right behind more text, without a finish reason",
    breakOff: () => byHand.write(`${MORE_TEXT}data: [DONE]\n\n`),
    text: "Hello world",
  },
  { what: "a chunk that is not JSON", breakOff: () => byHand.write("data: {\n\n"), text: "Hello" },
];

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey });

  describe.each(BREAKS)(`${name}: $what mid-stream`, ({ breakOff, text }) => {
    test("raises an error after the text received so far", async () => {
      let received = "";
      const read = async (): Promise<void> => {
        for await (const chunk of await client.chat.completions.create({ ...HELLO, stream: true })) {
          const piece = chunk.choices[0]?.delta.content ?? "";
          received += piece;
          if (piece === "Hello") breakOff();
        }
      };
      const error = await failureOf(read());
      expect(error).toBeInstanceOf(OpenAI.APIError);
      expect(error).toMatchObject({ status: undefined, code: "upstream_error", type: "server_error", param: null });
      expect(received).toBe(text);
    });

    test("fails the stream helper, which has no final completion", async () => {
      const stream = client.chat.completions.stream(HELLO);
      stream.on("content", (_, received) => received === "Hello" && breakOff());
      const error = await failureOf(stream.finalChatCompletion());
      expect(error).toBeInstanceOf(OpenAI.APIError);
      expect(error).toMatchObject({ code: "upstream_error" });
    });
  });
}
