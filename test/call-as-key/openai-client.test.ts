import { afterAll, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { failureOf } from "../clients/failure-of.ts";
import { OPENAI_PACKAGES } from "../clients/openai-packages.ts";
import { completion, configFor, events, GOOD_CHUNKS, startMockUpstream } from "../support/upstreams/mock-upstream.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";

const upstream = startMockUpstream({
  "up-chat": ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())),
});
const gateway = await startGateway({ yaml: configFor(upstream.baseUrl, ["chat"]) });
const { id } = await gateway.makeKey();

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const HELLO: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello!" }];

for (const { name, OpenAI } of OPENAI_PACKAGES) {
  describe(`${name}, with the operator token and the id of a key`, () => {
    const client = new OpenAI({ baseURL: `${gateway.platformUrl}/api/keys/${id}`, apiKey: gateway.operatorToken, maxRetries: 0 });

    test("gets a completion", async () => {
      const answer = await client.chat.completions.create({ model: "chat", messages: HELLO });
      expect(answer.choices[0]?.message.content).toBe("Hello world");
    });

    test("gets a stream", async () => {
      const stream = await client.chat.completions.create({ model: "chat", messages: HELLO, stream: true });
      const chunks = await Array.fromAsync(stream);
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("Hello world");
    });

    test("understands an error", async () => {
      const failure = await failureOf(client.chat.completions.create({ model: "none", messages: HELLO }));
      expect(failure).toMatchObject({ status: 403, code: "model_not_allowed" });
    });
  });
}
