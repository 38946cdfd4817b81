import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { googleError, keyFile, startGoogleCloud } from "../clouds/google-cloud.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import type { Json } from "./embeddings-api.ts";
import { EmbeddingsClient } from "./embeddings-client.ts";
import { startEmbeddingsServer, vectorOf } from "./embeddings-server.ts";
import { GEMINI_CREDENTIAL, startGeminiEmbeddings, startVertexEmbeddings, vertexBaseUrl } from "./google-embeddings.ts";

const cloud = startGoogleCloud();
const gemini = startGeminiEmbeddings();
const vertex = startVertexEmbeddings(cloud);
const openai = startEmbeddingsServer();
const folder = mkdtempSync(join(tmpdir(), "tollgate-embeddings-"));
const keyPath = join(folder, "key.json");
writeFileSync(keyPath, keyFile());

const PRICE = "kind: embedding, price: { input_per_million: 1 }";
/** An upstream without the cooldowns of the others. */
function upstreamNamed(id: string): string {
  return `  - { id: ${id}, dialect: gemini, base_url: "${gemini.origin}/v1beta", allow_private: true, credential: ${GEMINI_CREDENTIAL} }`;
}

const gateway = await startGateway({
  env: cloud.variables,
  yaml: `endpoints: [embeddings]
upstreams:
${upstreamNamed("gemini")}
${upstreamNamed("gemini-first")}
  - { id: vertex, preset: vertex-gemini, base_url: "${vertexBaseUrl(vertex)}", allow_private: true, google: { credentials_file: "${keyPath}" } }
  - { id: openai, dialect: openai, base_url: "${openai.baseUrl}", allow_private: true, credential: canary-openai }
models:
  - { id: classic, routes: [{ upstream: gemini, model: gemini-embedding-001 }], ${PRICE} }
  - { id: counted, routes: [{ upstream: gemini, model: models/gemini-embedding-2 }], ${PRICE} }
  - { id: backed, routes: [{ upstream: gemini-first, model: gemini-embedding-2 }, { upstream: openai, model: v, priority: 2 }], ${PRICE} }
  - { id: vertex, routes: [{ upstream: vertex, model: text-embedding-005 }], ${PRICE} }
  - { id: vertex-single, routes: [{ upstream: vertex, model: gemini-embedding-001 }], ${PRICE} }
  - { id: vertex-newer, routes: [{ upstream: vertex, model: gemini-embedding-2-preview }], ${PRICE} }
`,
});
const { key } = await gateway.makeKey();
const client = new EmbeddingsClient(gateway, key);

afterAll(async () => {
  await gateway.stop();
  for (const server of [gemini, vertex, openai, cloud]) await server.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  gemini.reset();
  vertex.reset();
  openai.received.length = 0;
  await client.refill();
});

/** The models, and the double that serves each of them. */
const SERVED = [
  ["classic", gemini],
  ["counted", gemini],
  ["vertex", vertex],
  ["vertex-single", vertex],
  ["vertex-newer", vertex],
] as const;
const COUNTING = SERVED.filter(([model]) => model !== "classic");

const TEXTS = Array.from({ length: 250 }, (_, at) => `text number ${at}`);

describe.each(SERVED)("%s", (model, api) => {
  test("the official SDK receives the vectors in their order, as numbers and as base64", async () => {
    const input = ["one", "two words", "漢字 🐟"];
    for (const encoding of [undefined, "float"] as const) {
      const { data, model: named } = await client.openai.embeddings.create({
        model,
        input,
        ...(encoding && { encoding_format: encoding }),
      });
      expect(data.map(({ embedding, index }) => [index, embedding])).toEqual(input.map((text, at) => [at, vectorOf(text)]));
      expect(named).toBe(model);
    }
    const { body } = await client.post({ model, input: "one", encoding_format: "base64" });
    expect(body.data[0]!["embedding"]).toBe(Buffer.from(new Float32Array(vectorOf("one")).buffer).toString("base64"));
  });

  test("dimensions, the task and the title are passed on, and other fields are named", async () => {
    const extra = {
      dimensions: 2,
      task_type: "RETRIEVAL_DOCUMENT",
      title: "Fish",
      user: "u",
      embedContentConfig: {},
      encoding_format: "float",
    };
    const { status, body, headers } = await client.post({ model, input: "one", ...extra });
    expect([status, body.data[0]!["embedding"]]).toEqual([200, vectorOf("one", 2)]);
    const sent = JSON.stringify(api.received[0]!.body);
    expect([sent.includes("RETRIEVAL_DOCUMENT"), sent.includes("Fish")]).toEqual([true, true]);
    expect(headers.get("x-tollgate-dropped")).toBe("user, embedContentConfig");
  });

  test.each([
    ["tokens", [1, 2]],
    ["tokens of texts", [[1], [2]]],
    ["tokens among texts", ["one", [2]]],
  ])("%s are rejected", async (_, input) => {
    const { status, body } = await client.post({ model, input });
    expect([status, body.error["code"], body.error["param"]]).toEqual([400, "unsupported_parameter", "input"]);
    expect([api.received.length, await client.paidTokens()]).toEqual([0, 0]);
  });

  test("an error of the API is the gateway's", async () => {
    api.fail = () => googleError(400, "INVALID_ARGUMENT", "The text is too odd.");
    expect(await client.post({ model, input: "one" })).toMatchObject({ status: 400, body: { error: { message: "The text is too odd." } } });
    api.fail = () => googleError(429, "RESOURCE_EXHAUSTED", "Quota exceeded.");
    expect(await client.post({ model, input: "one" })).toMatchObject({ status: 503, body: { error: { code: "overloaded" } } });
  });
});

describe("the bytes of a request", () => {
  test.each<[string, string, Json]>([
    [
      "classic",
      "/v1beta/models/gemini-embedding-001:batchEmbedContents",
      { requests: [{ model: "models/gemini-embedding-001", content: { parts: [{ text: "one" }] } }] },
    ],
    [
      "counted",
      "/v1beta/models/gemini-embedding-2:batchEmbedContents",
      { requests: [{ model: "models/gemini-embedding-2", content: { parts: [{ text: "one" }] } }] },
    ],
    ["vertex", `${new URL(vertexBaseUrl(vertex)).pathname}/models/text-embedding-005:predict`, { instances: [{ content: "one" }] }],
    [
      "vertex-newer",
      `${new URL(vertexBaseUrl(vertex)).pathname}/models/gemini-embedding-2-preview:embedContent`,
      { content: { parts: [{ text: "one" }] } },
    ],
  ])("to %s", async (model, path, body) => {
    expect((await client.post({ model, input: "one", dimensions: null })).status).toBe(200);
    expect([...gemini.received, ...vertex.received]).toEqual([{ path, body, texts: ["one"] }]);
  });
});

describe("batches", () => {
  test.each([
    ["counted", gemini, [100, 100, 50]],
    ["vertex", vertex, [250]],
    ["vertex-single", vertex, TEXTS.map(() => 1)],
    ["vertex-newer", vertex, TEXTS.map(() => 1)],
  ] as const)("of 250 texts through %s are split, joined in order and charged to the last token", async (model, api, sizes) => {
    const { status, body, headers } = await client.post({ model, input: TEXTS });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "measured"]);
    expect(body.data.map(({ embedding, index }) => [index, embedding])).toEqual(TEXTS.map((text, at) => [at, vectorOf(text)]));
    expect(api.received.map(({ texts }) => texts.length).toSorted((one, other) => other - one)).toEqual([...sizes]);
    expect(api.mostAtOnce).toBeLessThanOrEqual(4);
    expect(body.usage).toEqual({ prompt_tokens: 750, total_tokens: 750 });
    expect([api.billedTokens, await client.paidTokens()]).toEqual([750, 750]);
  });

  test("of 251 texts are more than Vertex AI takes", async () => {
    expect((await client.post({ model: "vertex", input: [...TEXTS, "one more"] })).body.data).toHaveLength(251);
    expect(vertex.received.map(({ texts }) => texts.length).toSorted((one, other) => one - other)).toEqual([1, 250]);
  });

  test("of long texts are within the token limit of Vertex AI", async () => {
    const input = Array.from({ length: 30 }, (_, at) => `${at} `.repeat(1000).trim());
    const { status, body } = await client.post({ model: "vertex", input });
    expect([status, body.usage["prompt_tokens"]]).toEqual([200, 30_000]);
    expect(body.data.map(({ embedding }) => embedding)).toEqual(input.map((text) => vectorOf(text)));
    expect(vertex.received.flatMap(({ texts }) => texts).toSorted()).toEqual(input.toSorted());
  });

  test("continue in OpenAI's format after a failure, with only the missing texts", async () => {
    gemini.fail = ({ texts }) => (texts.includes("text number 249") ? googleError(500, "INTERNAL", "down") : undefined);
    const before = openai.billedTokens;
    const { status, body } = await client.post({ model: "backed", input: TEXTS });
    expect([status, body.data.map(({ embedding }) => embedding)]).toEqual([200, TEXTS.map((text) => vectorOf(text))]);
    expect(openai.received.flatMap(({ inputs }) => inputs)).toEqual(TEXTS.slice(200));
    expect([gemini.billedTokens, openai.billedTokens - before, await client.paidTokens()]).toEqual([600, 150, 750]);
  });

  test("of tokens go to the upstream that takes them", async () => {
    const { status, body } = await client.post({ model: "backed", input: [[1, 2], [3]] });
    expect([status, body.data.map(({ embedding }) => embedding)]).toEqual([200, [vectorOf([1, 2]), vectorOf([3])]]);
    expect([gemini.received.length, openai.received.length]).toEqual([0, 1]);
  });
});

describe("money", () => {
  test("is estimated where the API does not count", async () => {
    const { headers, body } = await client.post({ model: "classic", input: "x".repeat(400) });
    expect(headers.get("x-tollgate-provenance")).toBe("estimated");
    expect(Number(body.usage["prompt_tokens"])).toBeGreaterThanOrEqual(100);
    expect(await client.paidTokens()).toBe(Number(body.usage["prompt_tokens"]));
  });

  const replaced = (count: unknown) => (body: Json) =>
    JSON.parse(JSON.stringify(body).replaceAll(/("(?:promptTokenCount|token_count)":)\d+/g, `$1${JSON.stringify(count)}`)) as Json;

  test.each(COUNTING.flatMap(([model, api]) => [-5, 0, 1.5, null, "7", 1e300].map((count) => [model, count, api] as const)))(
    "of %s is estimated where the count is %p",
    async (model, count, api) => {
      api.change = replaced(count);
      const { status, headers } = await client.post({ model, input: "x".repeat(400) });
      expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "estimated"]);
      expect(await client.paidTokens()).toBeWithin(100, 500);
    },
  );

  test("is estimated where one of the counts is negative", async () => {
    const counts = [-5, 50];
    vertex.change = (body) => JSON.parse(JSON.stringify(body).replaceAll(/"token_count":\d+/g, () => `"token_count":${counts.shift()}`));
    const { status, headers } = await client.post({ model: "vertex", input: ["one", "two"] });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "estimated"]);
  });

  test.each(COUNTING)("of %s is bounded where the count is absurd", async (model, api) => {
    api.change = replaced(900_000_000);
    expect((await client.post({ model, input: "short" })).status).toBe(200);
    expect(await client.paidTokens()).toBeLessThan(100_000);
  });
});

describe.each(SERVED)("a response of %s that cannot be right is a failure of the upstream, and free:", (model, api) => {
  test.each<[string, (body: Json) => unknown]>([
    ["a missing vector", (body) => JSON.parse(JSON.stringify(body).replaceAll(/"values":\[[^\]]*\]/g, '"value":0'))],
    ["an empty vector", (body) => JSON.parse(JSON.stringify(body).replaceAll(/"values":\[[^\]]*\]/g, '"values":[]'))],
    ["a vector with null", (body) => JSON.parse(JSON.stringify(body).replaceAll(/"values":\[/g, '"values":[null,'))],
    ["a vector as text", (body) => JSON.parse(JSON.stringify(body).replaceAll(/"values":\[[^\]]*\]/g, '"values":"AACAPwAAgD8="'))],
    ["no embeddings", () => ({})],
    ["null", () => null],
    ["a list", () => []],
    ["lists of null", () => ({ embeddings: [null], predictions: [null] })],
    ["no list", () => ({ embeddings: 7 })],
    ["an error inside", () => ({ error: { code: 503, message: "loading", status: "UNAVAILABLE" } })],
  ])("%s", async (_, change) => {
    api.change = change;
    expect((await client.post({ model, input: "a" })).status).toBeGreaterThanOrEqual(500);
    expect(await client.paidTokens()).toBe(0);
  });
});

test.each(SERVED)("an error inside a 200 of %s has its own status", async (model, api) => {
  api.change = () => ({ error: { code: 429, message: "Quota exceeded.", status: "RESOURCE_EXHAUSTED" } });
  expect(await client.post({ model, input: "a" })).toMatchObject({ status: 503, body: { error: { code: "overloaded" } } });
});

test("vectors fewer than the texts are a failure", async () => {
  gemini.change = ({ embeddings }) => ({ embeddings: (embeddings as Json[]).slice(1) });
  vertex.change = ({ predictions }) => ({ predictions: (predictions as Json[]).slice(1) });
  for (const model of ["classic", "vertex"]) expect((await client.post({ model, input: ["a", "b"] })).status).toBe(502);
});
