import { OpenAIEmbeddings } from "@langchain/openai";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import OpenAI from "openai";
import { startEmbeddingServer, startModelServer, type ModelServer } from "../../scripts/try-model/model-server.ts";
import { preparePython } from "../../scripts/try-model/python-environment.ts";
import { installGroup, orSkipped } from "../clients/python/python-groups.ts";
import { ledgerOf } from "../money/ledger-of.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** Retrieval from end to end with a real model: clients embed texts, search them, and ask a chat model with what they have found. */

const python = orSkipped("the real model", preparePython);
const clients = installGroup("formats");

const TEXTS = [
  "The fish costs five dollars and fifty cents at the market.",
  "Oslo is the capital of Norway.",
  "A ledger has an entry for each charge.",
];
/** Nearly the first text: the model is small, and the vectors of this server depend on what else is in a batch. */
const QUESTION = "The fish costs five dollars and fifty cents at the market?";

let embedder: ModelServer;
let talker: ModelServer;
let gateway: RunningGateway;
let key: string;

beforeAll(async () => {
  if (python === undefined) return;
  [embedder, talker] = await Promise.all([startEmbeddingServer(python), startModelServer(python, 0)]);
  gateway = await startGateway({
    yaml: `endpoints: [embeddings]
upstreams:
  - { id: embedder, preset: llama-cpp, base_url: "${embedder.baseUrl}", allow_private: true }
  - { id: talker, preset: llama-cpp, base_url: "${talker.baseUrl}", allow_private: true }
models:
  - { id: vectors, kind: embedding, routes: [{ upstream: embedder, model: smollm2 }], price: { input_per_million: 1 } }
  - { id: talks, routes: [{ upstream: talker, model: smollm2 }], price: { input_per_million: 1, output_per_million: 1 }, max_output_tokens: 64 }
`,
  });
  ({ key } = await gateway.makeKey());
});

afterAll(async () => {
  await gateway?.stop();
  await Promise.all([embedder?.kill(), talker?.kill()]);
});

function bestOf(vectors: readonly (readonly number[])[], asked: readonly number[]): string {
  const scores = vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * asked[at]!, 0));
  return TEXTS[scores.indexOf(Math.max(...scores))]!;
}

/** The tokens that were charged for embeddings since the last call. */
let seen = 0;
function chargedTokens(): number {
  const rows = ledgerOf(gateway).filter(({ kind, model }) => kind === "settle" && model === "vectors");
  const nanos = rows.slice(seen).reduce((sum, { amount_nanos: amount }) => sum + Number(amount), 0);
  expect(rows.slice(seen).every(({ provenance }) => provenance === "measured")).toBe(true);
  seen = rows.length;
  return nanos / 1000;
}

describe.skipIf(python === undefined)("a real embedding model", () => {
  test("the official JavaScript SDK: embed, search, answer", async () => {
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });
    const created = await client.embeddings.create({ model: "vectors", input: TEXTS });
    const asked = await client.embeddings.create({ model: "vectors", input: QUESTION, encoding_format: "float" });
    const vectors = created.data.map(({ embedding }) => embedding);
    expect(new Set(vectors.map(({ length }) => length))).toEqual(new Set([asked.data[0]!.embedding.length]));
    const found = bestOf(vectors, asked.data[0]!.embedding);
    expect(found).toBe(TEXTS[0]!);
    expect(chargedTokens()).toBe(created.usage.prompt_tokens + asked.usage.prompt_tokens);
    const answer = await client.chat.completions.create({
      model: "talks",
      temperature: 0,
      messages: [{ role: "user", content: `${found}\n${QUESTION}` }],
    });
    expect(answer.choices[0]!.message.content).toMatch(/\w/);
  });

  test("LangChain", async () => {
    const embeddings = new OpenAIEmbeddings({ model: "vectors", apiKey: key, batchSize: 2, configuration: { baseURL: gateway.baseUrl } });
    expect(bestOf(await embeddings.embedDocuments(TEXTS), await embeddings.embedQuery(QUESTION))).toBe(TEXTS[0]!);
    expect(chargedTokens()).toBeGreaterThan(0);
  });

  test("Open WebUI: numbers, in batches of one", async () => {
    const vectors: number[][] = [];
    for (const text of [...TEXTS, QUESTION]) {
      const reply = await fetch(`${gateway.baseUrl}/embeddings`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
        body: JSON.stringify({ input: [text], model: "vectors" }),
      });
      const { data } = (await reply.json()) as { data: { embedding: number[] }[] };
      vectors.push(data[0]!.embedding);
    }
    expect(bestOf(vectors.slice(0, -1), vectors.at(-1)!)).toBe(TEXTS[0]!);
  });

  test("LibreChat: the tokens of texts, in base64", async () => {
    const tokens = await Promise.all(
      [...TEXTS, QUESTION].map(async (content) => {
        const reply = await fetch(`${embedder.baseUrl.replace(/\/v1$/, "")}/tokenize`, {
          method: "POST",
          body: JSON.stringify({ content }),
        });
        return ((await reply.json()) as { tokens: number[] }).tokens;
      }),
    );
    const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });
    const { data } = await client.embeddings.create({ model: "vectors", input: tokens });
    const vectors = data.map(({ embedding }) => embedding);
    expect(bestOf(vectors.slice(0, -1), vectors.at(-1)!)).toBe(TEXTS[0]!);
  });

  test.skipIf(clients === undefined)("the official Python SDK", async () => {
    const child = Bun.spawn([join(clients!, "python"), join(import.meta.dir, "rag.py"), "vectors"], {
      env: { PATH: process.env["PATH"]!, OPENAI_BASE_URL: gateway.baseUrl, OPENAI_API_KEY: key },
      stdin: Buffer.from(JSON.stringify({ texts: TEXTS, question: QUESTION })),
      stdout: "pipe",
      stderr: "inherit",
    });
    const { best, vectors } = (await new Response(child.stdout).json()) as { best: string; vectors: number[][] };
    expect([best, vectors.length]).toEqual([TEXTS[0]!, TEXTS.length]);
  });
});
