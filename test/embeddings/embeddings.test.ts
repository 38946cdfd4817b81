import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { LoggedRequest, Model, OptionalEndpointList } from "../../platform-client/types.ts";
import { accountNow, setCredit } from "../money/ledger-of.ts";
import { eventually } from "../support/eventually.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { refuse, startEmbeddingsServer, tokensOf, vectorOf } from "./embeddings-server.ts";

const first = startEmbeddingsServer();
const second = startEmbeddingsServer();
const PRICE = "price: { input_per_million: 1 }";
const gateway = await startGateway({
  yaml: `endpoints: [embeddings]
upstreams:
  - { id: first, dialect: openai, base_url: "${first.baseUrl}", allow_private: true, credential: canary-first }
  - { id: second, dialect: openai, base_url: "${second.baseUrl}", allow_private: true, credential: canary-second }
  - { id: claude, dialect: anthropic, base_url: "${first.baseUrl}", allow_private: true, credential: canary-third }
models:
  - { id: vectors, kind: embedding, routes: [{ upstream: first, model: up-vectors }], ${PRICE} }
  - { id: failing-over, kind: embedding, routes: [{ upstream: first, model: v }, { upstream: second, model: v, priority: 2 }], ${PRICE} }
  - { id: cached, kind: embedding, routes: [{ upstream: first, model: v }], ${PRICE}, cache: { ttl_seconds: 600 } }
  - { id: elsewhere, kind: embedding, routes: [{ upstream: claude, model: v }], ${PRICE} }
  - { id: talks, routes: [{ upstream: first, model: t }], price: { input_per_million: 1, output_per_million: 1 } }
`,
});
const { key } = await gateway.makeKey();
const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: key, maxRetries: 0 });

afterAll(async () => {
  await gateway.stop();
  await first.stop();
  await second.stop();
});

beforeEach(async () => {
  for (const server of [first, second]) {
    delete server.behaviour.fail;
    delete server.behaviour.change;
    server.received.length = 0;
  }
  await setCredit(gateway, 10n ** 9n);
});

type Json = Record<string, unknown>;

async function post(body: Json, headers: Record<string, string> = {}, path = "/embeddings") {
  const reply = await fetch(`${gateway.baseUrl}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Json & { error: Json; data: Json[]; usage: Json } };
}

/** What the account has paid since its credit was set, in tokens at a dollar per million. */
async function paidTokens(): Promise<number> {
  const { creditNanos, heldNanos } = await accountNow(gateway);
  expect(heldNanos).toBe(0n);
  return Number(10n ** 9n - creditNanos) / 1000;
}

async function billedBy(action: () => Promise<unknown>): Promise<number> {
  const before = first.billedTokens + second.billedTokens;
  await action();
  return first.billedTokens + second.billedTokens - before;
}

describe("the official SDK", () => {
  test.each<[string, string | string[] | number[] | number[][]]>([
    ["a text", "How much is the fish?"],
    ["texts", ["one", "two words", "漢字 🐟"]],
    ["the tokens of a text", [1, 22, 333]],
    ["the tokens of texts", [[1], [2, 3]]],
  ])("receives the vectors of %s", async (_, input) => {
    const inputs = typeof input === "string" ? [input] : typeof input[0] === "number" ? [input as number[]] : (input as string[]);
    for (const encoding of [undefined, "float", "base64"] as const) {
      const created = await client.embeddings.create({ model: "vectors", input, ...(encoding && { encoding_format: encoding }) });
      const received = created.data.map(({ embedding }) => embedding);
      const expected = inputs.map((each) => vectorOf(each));
      if (encoding === "base64") {
        const floats = (received as unknown as string[]).map((text) => [
          ...new Float32Array(new Uint8Array(Buffer.from(text, "base64")).buffer),
        ]);
        expect(floats).toEqual(expected);
      } else expect(received).toEqual(expected);
      expect(created.model).toBe("vectors");
      expect(created.usage.prompt_tokens).toBe(inputs.reduce((sum: number, each) => sum + tokensOf(each), 0));
    }
    expect(first.received.map(({ model }) => model)).toEqual(["up-vectors", "up-vectors", "up-vectors"]);
  });

  test("receives numbers from a server that does not know base64", async () => {
    first.behaviour.change = (body) => ({
      ...body,
      data: (body["data"] as Json[]).map((item, at) => ({ ...item, embedding: vectorOf(["a", "b"][at]!) })),
    });
    const { data } = await client.embeddings.create({ model: "vectors", input: ["a", "b"] });
    expect(data.map(({ embedding }) => embedding)).toEqual([vectorOf("a"), vectorOf("b")]);
  });

  test("shortens vectors where the model can", async () => {
    const { data } = await client.embeddings.create({ model: "vectors", input: "a", dimensions: 2, user: "u" });
    expect(data[0]!.embedding).toEqual(vectorOf("a", 2));
    expect(first.received[0]!.body).toMatchObject({ dimensions: 2, user: "u" });
  });
});

describe("money", () => {
  test("is what the provider bills", async () => {
    const billed = await billedBy(async () => {
      for (const input of ["one", ["two words", "three more words"], [1, 2, 3, 4]])
        expect((await post({ model: "vectors", input })).status).toBe(200);
    });
    expect(billed).toBe(10);
    expect(await paidTokens()).toBe(billed);
  });

  test("of 100 at once with credit for 10, exactly 10 are admitted", async () => {
    const body = { model: "vectors", input: "x".repeat(1000) };
    const bytes = BigInt(JSON.stringify(body).length);
    await setCredit(gateway, bytes * 10n * 1000n);
    // As many tokens as the hold covers.
    first.behaviour.change = (whole) => ({ ...whole, usage: { prompt_tokens: Number(bytes), total_tokens: Number(bytes) } });
    const replies = await Promise.all(Array.from({ length: 100 }, () => post(body)));
    const admitted = replies.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(10);
    expect(await accountNow(gateway)).toMatchObject({ creditNanos: 0n, heldNanos: 0n });
  });

  test.each<[string, Json]>([
    ["missing", {}],
    ["negative", { prompt_tokens: -5, total_tokens: -5 }],
    ["zero", { prompt_tokens: 0, total_tokens: 0 }],
    ["not a number", { prompt_tokens: "many" }],
  ])("is estimated where the usage is %s", async (_, usage) => {
    first.behaviour.change = ({ usage: _usage, ...rest }) => ({ ...rest, usage });
    const { status, headers, body } = await post({ model: "vectors", input: "x".repeat(400) });
    expect([status, headers.get("x-tollgate-provenance")]).toEqual([200, "estimated"]);
    expect(Number(body.usage["prompt_tokens"])).toBeGreaterThanOrEqual(100);
    expect(await paidTokens()).toBe(Number(body.usage["prompt_tokens"]));
  });

  test("is bounded where the usage is absurd", async () => {
    first.behaviour.change = (body) => ({ ...body, usage: { prompt_tokens: 900_000_000, total_tokens: 900_000_000 } });
    expect((await post({ model: "vectors", input: "short" })).status).toBe(200);
    expect(await paidTokens()).toBeLessThan(100_000);
  });

  test("is never more than x-max-cost", async () => {
    const body = { model: "vectors", input: "x".repeat(1000) };
    const { status, body: reply } = await post(body, { "x-max-cost": "0.0005" });
    expect([status, reply.error["code"]]).toEqual([402, "budget_exceeded"]);
    expect((await post(body, { "x-max-cost": "0.002" })).status).toBe(200);
  });

  test("of a cached response is nothing", async () => {
    const [miss, hit, other] = [
      await post({ model: "cached", input: "same" }),
      await post({ model: "cached", input: "same" }),
      await post({ model: "cached", input: "other" }),
    ];
    expect([miss, hit, other].map(({ headers }) => headers.get("x-tollgate-cache"))).toEqual(["miss", "hit", "miss"]);
    expect(hit.body.data).toEqual(miss.body.data);
    expect(first.received).toHaveLength(2);
  });
});

describe("a batch that is larger than the provider takes", () => {
  const input = Array.from({ length: 5000 }, (_, at) => `text number ${at}`);

  test("is sent in parts, joined in order and charged once", async () => {
    const { status, body } = await post({ model: "vectors", input });
    expect([status, first.received.length]).toEqual([200, 3]);
    expect(body.data.map(({ embedding, index }) => [index, embedding])).toEqual(input.map((text, at) => [at, vectorOf(text)]));
    expect(body.usage).toEqual({ prompt_tokens: 15_000, total_tokens: 15_000 });
    expect(await paidTokens()).toBe(15_000);
  });

  test("sends only its missing parts to the next upstream", async () => {
    first.behaviour.fail = ({ inputs }) => (inputs.includes("text number 4999") ? refuse("down", 500) : undefined);
    const billed = await billedBy(async () => {
      const { status, body } = await post({ model: "failing-over", input });
      expect(status).toBe(200);
      expect(body.data.map(({ embedding }) => embedding)).toEqual(input.map((text) => vectorOf(text)));
    });
    expect(second.received.flatMap(({ inputs }) => inputs)).toEqual(input.slice(4096));
    expect([billed, await paidTokens()]).toEqual([15_000, 15_000]);
  });

  test("is charged for the share of its parts that have succeeded, if the provider counts nothing", async () => {
    first.behaviour.change = ({ usage: _usage, ...rest }) => rest;
    first.behaviour.fail = ({ inputs }) => (inputs.includes("text number 4999") ? refuse("too odd") : undefined);
    expect((await post({ model: "vectors", input })).status).toBe(400);
    const partly = await paidTokens();
    delete first.behaviour.fail;
    await setCredit(gateway, 10n ** 9n);
    expect((await post({ model: "vectors", input })).status).toBe(200);
    expect(partly).toBe(Math.ceil((await paidTokens()) * (4096 / 5000)));
  });

  test("is charged for the parts that the provider has billed, if another one fails in the end", async () => {
    first.behaviour.fail = ({ inputs }) => (inputs.includes("text number 4999") ? refuse("too odd") : undefined);
    const billed = await billedBy(async () => expect((await post({ model: "vectors", input })).status).toBe(400));
    expect([billed, await paidTokens()]).toEqual([12_288, 12_288]);
  });
});

describe("a response that is not JSON", () => {
  const item = '{"object":"embedding","index":0,"embedding":[0.5]}';
  test.each<[string, string]>([
    ["a page", "<html>"],
    ["empty", ""],
    ["a list", "[]"],
    ["cut off in a vector", `{"object":"list","data":[${item.slice(0, -3)}`],
    ["cut off after the vectors", `{"object":"list","data":[${item}]`],
    ["nested deeply", `{"data":${"[".repeat(100_000)}`],
  ])("%s", async (_, text) => {
    first.behaviour.fail = () => new Response(text, { headers: { "content-type": "application/json" } });
    const { status, body } = await post({ model: "vectors", input: "a" });
    expect([status, body.error["code"]]).toEqual([502, "upstream_error"]);
    expect(await paidTokens()).toBe(0);
  });
});

describe("a response that cannot be right", () => {
  test.each<[string, (body: Json) => Json]>([
    ["with a missing vector", (body) => ({ ...body, data: (body["data"] as Json[]).slice(1) })],
    ["without vectors", ({ object }) => ({ object })],
    ["with an error inside", () => ({ error: { message: "the model is loading", type: "server_error" } })],
  ])("%s is a failure of the upstream, and free", async (_, change) => {
    first.behaviour.change = change;
    expect((await post({ model: "vectors", input: ["a", "b"] })).status).toBeGreaterThanOrEqual(500);
    expect(await paidTokens()).toBe(0);
  });
});

describe("rejected", () => {
  test.each<[string, Json, number, string]>([
    ["no input", { model: "vectors" }, 400, "input"],
    ["an empty list", { model: "vectors", input: [] }, 400, "input"],
    ["an input that is not text", { model: "vectors", input: ["a", {}] }, 400, "input[1]"],
    ["texts and tokens", { model: "vectors", input: ["a", 5] }, 400, "input[1]"],
    ["tokens and lists of tokens", { model: "vectors", input: [5, [5]] }, 400, "input[1]"],
    ["a million texts", { model: "vectors", input: Array.from({ length: 100_000 }, () => "") }, 400, "input"],
    ["an unknown encoding", { model: "vectors", input: "a", encoding_format: "hex" }, 400, "encoding_format"],
    ["a chat model", { model: "talks", input: "a" }, 400, "model"],
    ["a model without an upstream for embeddings", { model: "elsewhere", input: "a" }, 400, "model"],
    ["an unknown model", { model: "nothing", input: "a" }, 403, "model"],
  ])("%s", async (_, body, status, param) => {
    const { status: got, body: reply } = await post(body);
    expect([got, reply.error["param"]]).toEqual([status, param]);
    expect(await paidTokens()).toBe(0);
  });

  test("at chat completions, with the right endpoint", async () => {
    const { status, body } = await post({ model: "vectors", messages: [{ role: "user", content: "Hi" }] }, {}, "/chat/completions");
    expect([status, body.error["param"]]).toEqual([400, "model"]);
    expect(body.error["message"]).toContain("POST /v1/embeddings");
  });
});

test("a dry run says what would happen, and calls nobody", async () => {
  const { status, body } = await post({ model: "vectors", input: "How much?" }, { "x-dry-run": "1" });
  expect([status, first.received.length]).toEqual([200, 0]);
  expect(JSON.stringify(body)).toContain('"first"');
});

test("operators see the endpoint and the kind", async () => {
  await post({ model: "vectors", input: "seen" });
  const { data } = await eventually(
    () => gateway.platform<{ data: LoggedRequest[] }>("GET", "/api/requests?endpoint=embeddings&limit=1"),
    (page) => page.data.length > 0,
  );
  expect(data[0]).toMatchObject({ endpoint: "embeddings", model: "vectors", usage: { prompt_tokens: 1, completion_tokens: 0 } });
  expect(await gateway.platform<Model>("GET", "/api/models/vectors")).toMatchObject({ kind: "embedding" });
});

test("embedding models are listed while the endpoint is on", async () => {
  const listed = async (): Promise<string[]> => (await client.models.list()).data.map(({ id }) => id).toSorted();
  expect(await listed()).toContain("vectors");
  const { data } = await gateway.platform<OptionalEndpointList>("GET", "/api/endpoints");
  expect(data.find(({ id }) => id === "embeddings")).toMatchObject({ enabled: true, path: "/v1/embeddings" });
});
