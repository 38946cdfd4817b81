import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { EmbeddingsClient } from "./embeddings-client.ts";
import { startEmbeddingsServer, vectorOf } from "./embeddings-server.ts";

const server = startEmbeddingsServer();
const LIMITS = { cohere: 96, qwen: 10, openai: 2048, mistral: 2048 };
const presets = Object.keys(LIMITS);
const gateway = await startGateway({
  yaml: `endpoints: [embeddings]
upstreams:
${presets.map((id) => `  - { id: ${id}, preset: ${id}, base_url: "${server.baseUrl}", allow_private: true, credential: canary-${id} }`).join("\n")}
models:
${presets.map((id) => `  - { id: ${id}, kind: embedding, routes: [{ upstream: ${id}, model: v }], price: { input_per_million: 1 } }`).join("\n")}
`,
});
const { key } = await gateway.makeKey();
const client = new EmbeddingsClient(gateway, key);

afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

beforeEach(async () => {
  server.received.length = 0;
  await client.refill();
});

test.each(Object.entries(LIMITS))("a batch for %s has at most %p texts", async (model, most) => {
  const input = Array.from({ length: 2 * most + 1 }, (_, at) => `text ${at}`);
  const { status, body } = await client.post({ model, input });
  expect([status, body.data.map(({ embedding }) => embedding)]).toEqual([200, input.map((text) => vectorOf(text))]);
  expect(server.received.map(({ inputs }) => inputs.length).toSorted((one, other) => other - one)).toEqual([most, most, 1]);
  expect(await client.paidTokens()).toBe(2 * input.length);
});

describe("what a provider does not take", () => {
  test.each([
    ["cohere", { input: [1, 2] }, "input"],
    ["qwen", { input: [[1], [2]] }, "input"],
    ["cohere", { input: "one", dimensions: 2 }, "dimensions"],
  ])("of %s is rejected: %j", async (model, fields, param) => {
    const { status, body } = await client.post({ model, ...fields });
    expect([status, body.error["code"], body.error["param"]]).toEqual([400, "unsupported_parameter", param]);
    expect(server.received).toEqual([]);
  });

  test("is dropped and named", async () => {
    const { headers } = await client.post({
      model: "cohere",
      input: "one",
      user: "u",
      input_type: "search_query",
      encoding_format: "float",
    });
    expect(headers.get("x-tollgate-dropped")).toBe("user, input_type");
    expect(server.received.map(({ body }) => body)).toEqual([{ model: "v", input: "one", encoding_format: "float" }]);
  });
});
