import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { AwsCloud } from "../clouds/aws-cloud.ts";
import { REGION, USER } from "../clouds/aws-scenarios.ts";
import { refusal } from "../dialects/converse-server.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { startBedrockEmbeddings } from "./bedrock-embeddings.ts";
import type { Json } from "./embeddings-api.ts";
import { EmbeddingsClient } from "./embeddings-client.ts";
import { startEmbeddingsServer, vectorOf } from "./embeddings-server.ts";

const cloud = new AwsCloud();
const { secretAccessKey } = cloud.addUser(USER);
const shape: { ofCohere: "list" | "by_type" } = { ofCohere: "by_type" };
const bedrock = startBedrockEmbeddings(cloud, REGION, shape);
const openai = startEmbeddingsServer();
const ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/eu.cohere.embed-v4:0";
const APPLICATION_ARN = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3";

const PRICE = "kind: embedding, price: { input_per_million: 1 }";
/** An upstream without the cooldowns of the others. */
function upstreamNamed(id: string): string {
  const keys = `access_key_id: ${USER}, secret_access_key: "${secretAccessKey}"`;
  return `  - { id: ${id}, preset: bedrock-converse, base_url: "${bedrock.origin}", allow_private: true, aws: { region: ${REGION}, ${keys} } }`;
}

const gateway = await startGateway({
  yaml: `endpoints: [embeddings]
upstreams:
${upstreamNamed("bedrock")}
${upstreamNamed("bedrock-first")}
  - { id: openai, dialect: openai, base_url: "${openai.baseUrl}", allow_private: true, credential: canary-openai }
models:
  - { id: titan-1, routes: [{ upstream: bedrock, model: "amazon.titan-embed-text-v1" }], ${PRICE} }
  - { id: titan, routes: [{ upstream: bedrock, model: "amazon.titan-embed-text-v2:0" }], ${PRICE} }
  - { id: cohere-3, routes: [{ upstream: bedrock, model: cohere.embed-english-v3 }], ${PRICE} }
  - { id: cohere, routes: [{ upstream: bedrock, model: "us.cohere.embed-v4:0" }], ${PRICE} }
  - { id: by-arn, routes: [{ upstream: bedrock, model: "${ARN}" }], ${PRICE} }
  - { id: unnamed, routes: [{ upstream: bedrock, model: "${APPLICATION_ARN}" }], ${PRICE} }
  - { id: talks, routes: [{ upstream: bedrock, model: "amazon.nova-lite-v1:0" }], ${PRICE} }
  - { id: backed, routes: [{ upstream: bedrock-first, model: cohere.embed-english-v3 }, { upstream: openai, model: v, priority: 2 }], ${PRICE} }
`,
});
const { key } = await gateway.makeKey();
const client = new EmbeddingsClient(gateway, key);

afterAll(async () => {
  await gateway.stop();
  await bedrock.stop();
  await openai.stop();
});

beforeEach(async () => {
  bedrock.reset();
  shape.ofCohere = "by_type";
  openai.received.length = 0;
  await client.refill();
});

const MODELS = ["titan-1", "titan", "cohere-3", "cohere", "by-arn"];
const TEXTS = Array.from({ length: 250 }, (_, at) => `text number ${at}`);

describe.each(MODELS)("%s", (model) => {
  test("the official SDK receives the vectors in their order, as numbers and as base64", async () => {
    const input = ["one", "two words", "漢字 🐟"];
    for (const encoding of [undefined, "float"] as const) {
      const { data, usage } = await client.openai.embeddings.create({ model, input, ...(encoding && { encoding_format: encoding }) });
      expect(data.map(({ embedding, index }) => [index, embedding])).toEqual(input.map((text, at) => [at, vectorOf(text)]));
      expect(usage.prompt_tokens).toBe(5);
    }
    const { body } = await client.post({ model, input: "one", encoding_format: "base64" });
    expect(body.data[0]!["embedding"]).toBe(Buffer.from(new Float32Array(vectorOf("one")).buffer).toString("base64"));
  });

  test("tokens are rejected", async () => {
    const { status, body } = await client.post({ model, input: [[1], [2]] });
    expect([status, body.error["code"], body.error["param"]]).toEqual([400, "unsupported_parameter", "input"]);
    expect([bedrock.received.length, await client.paidTokens()]).toEqual([0, 0]);
  });

  test("a batch is charged to the last token, and four of its parts are sent at once", async () => {
    const parts = model.startsWith("titan") ? TEXTS.map(() => 1) : [96, 96, 58];
    bedrock.waitsFor = Math.min(parts.length, 4);
    const { status, body, headers } = await client.post({ model, input: TEXTS });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "measured"]);
    expect(body.data.map(({ embedding, index }) => [index, embedding])).toEqual(TEXTS.map((text, at) => [at, vectorOf(text)]));
    const sizes = bedrock.received.map(({ texts }) => texts.length).toSorted((one, other) => other - one);
    expect(sizes).toEqual(parts);
    expect(bedrock.mostAtOnce).toBe(bedrock.waitsFor);
    expect(body.usage).toEqual({ prompt_tokens: 750, total_tokens: 750 });
    expect([bedrock.billedTokens, await client.paidTokens()]).toEqual([750, 750]);
  });

  test("an error of the API is the gateway's", async () => {
    bedrock.fail = () => refusal(400, "ValidationException", "The text is too odd.");
    expect(await client.post({ model, input: "one" })).toMatchObject({ status: 400, body: { error: { message: "The text is too odd." } } });
    bedrock.fail = () => refusal(429, "ThrottlingException", "Too many requests.");
    expect(await client.post({ model, input: "one" })).toMatchObject({ status: 503, body: { error: { code: "overloaded" } } });
  });
});

describe("the bytes of a request", () => {
  test.each<[string, Json, string, Json, string | null]>([
    ["titan-1", { normalize: false }, "amazon.titan-embed-text-v1", { inputText: "one" }, "normalize"],
    [
      "titan",
      { dimensions: 256, normalize: false, user: "u", embeddingTypes: ["binary"] },
      "amazon.titan-embed-text-v2%3A0",
      { inputText: "one", dimensions: 256, normalize: false },
      "user, embeddingTypes",
    ],
    [
      "cohere-3",
      { input_type: "search_query", truncate: "END", images: [], embedding_types: ["int8"] },
      "cohere.embed-english-v3",
      { texts: ["one"], input_type: "search_query", embedding_types: ["float"], truncate: "END" },
      "images, embedding_types",
    ],
    [
      "cohere",
      { dimensions: 256 },
      "us.cohere.embed-v4%3A0",
      { texts: ["one"], input_type: "search_document", embedding_types: ["float"], output_dimension: 256 },
      null,
    ],
    ["by-arn", {}, encodeURIComponent(ARN), { texts: ["one"], input_type: "search_document", embedding_types: ["float"] }, null],
  ])("to %s with %j", async (model, fields, name, body, dropped) => {
    const { status, headers } = await client.post({ model, input: "one", ...fields });
    expect([status, headers.get("x-tollgate-dropped")]).toEqual([200, dropped]);
    expect(bedrock.received).toEqual([{ path: `/model/${name}/invoke`, body, texts: ["one"] }]);
  });
});

test.each(["titan-1", "cohere-3"])("dimensions are rejected for %s, which has none", async (model) => {
  const { status, body } = await client.post({ model, input: "one", dimensions: 256 });
  expect([status, body.error["code"], body.error["param"]]).toEqual([400, "unsupported_parameter", "dimensions"]);
});

test.each(["unnamed", "talks"])("%s is not known to serve embeddings", async (model) => {
  const { status, body } = await client.post({ model, input: "one" });
  expect([status, body.error["param"], bedrock.received.length]).toEqual([400, "model", 0]);
});

test("what a model does not take goes to the upstream that does", async () => {
  for (const body of [{ input: "one", dimensions: 2 }, { input: [1, 2] }]) {
    expect((await client.post({ model: "backed", ...body })).status).toBe(200);
  }
  expect([bedrock.received.length, openai.received.length]).toEqual([0, 2]);
});

test("a batch continues in OpenAI's format after a failure, with only the missing texts", async () => {
  bedrock.fail = ({ texts }) => (texts.includes("text number 249") ? refusal(500, "InternalServerException", "down") : undefined);
  const before = openai.billedTokens;
  const { status, body } = await client.post({ model: "backed", input: TEXTS });
  expect([status, body.data.map(({ embedding }) => embedding)]).toEqual([200, TEXTS.map((text) => vectorOf(text))]);
  expect(openai.received.flatMap(({ inputs }) => inputs)).toEqual(TEXTS.slice(192));
  expect([bedrock.billedTokens, openai.billedTokens - before, await client.paidTokens()]).toEqual([576, 174, 750]);
});

test("Cohere's vectors may be a list", async () => {
  shape.ofCohere = "list";
  const { body } = await client.post({ model: "cohere-3", input: ["a", "b"] });
  expect(body.data.map(({ embedding }) => embedding)).toEqual([vectorOf("a"), vectorOf("b")]);
});

describe("money", () => {
  test.each([-5, 0, 1.5, null, "7", 1e300])("is estimated where Titan's count is %p", async (count) => {
    bedrock.change = (body) => ({ ...body, inputTextTokenCount: count });
    const { status, headers } = await client.post({ model: "titan", input: "x".repeat(400) });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "estimated"]);
    expect(await client.paidTokens()).toBeWithin(100, 500);
  });

  test.each([undefined, "-5", "0", "", "many", "1e300"])("is estimated where Cohere's count is %p", async (count) => {
    bedrock.countHeader = () => (count === undefined ? {} : { "x-amzn-bedrock-input-token-count": count });
    const { status, headers } = await client.post({ model: "cohere", input: "x".repeat(400) });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "estimated"]);
    expect(await client.paidTokens()).toBeWithin(100, 500);
  });

  test("is bounded where the count is absurd", async () => {
    bedrock.change = (body) => ({ ...body, inputTextTokenCount: 900_000_000 });
    expect((await client.post({ model: "titan", input: "short" })).status).toBe(200);
    expect(await client.paidTokens()).toBeLessThan(100_000);
  });
});

describe.each(["titan", "cohere"])("a response of %s that cannot be right is a failure of the upstream, and free:", (model) => {
  test.each<[string, (body: Json) => unknown]>([
    ["no vector", () => ({})],
    ["vectors of another type", () => ({ embedding: {}, embeddings: { int8: [[1]] } })],
    ["an empty vector", () => ({ embedding: [], embeddings: [[]] })],
    ["a vector with null", () => ({ embedding: [1, null], embeddings: [[1, null]] })],
    ["a vector as text", () => ({ embedding: "AACAPwAAgD8=", embeddings: ["AACAPwAAgD8="] })],
    ["null", () => null],
    ["a list", () => [[1]]],
  ])("%s", async (_, change) => {
    bedrock.change = change;
    expect((await client.post({ model, input: "a" })).status).toBe(502);
    expect(await client.paidTokens()).toBe(0);
  });
});

test("vectors fewer than the texts are a failure", async () => {
  bedrock.change = () => ({ embeddings: [[1]] });
  expect((await client.post({ model: "cohere", input: ["a", "b"] })).status).toBe(502);
});
