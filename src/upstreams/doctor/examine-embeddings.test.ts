import { afterAll, beforeEach, expect, test } from "bun:test";
import { refuse, startEmbeddingsServer, type Behaviour } from "../../../test/embeddings/embeddings-server.ts";
import { remoteAt } from "../../models/declared-upstream.ts";
import type { DoctorReport } from "../../models/doctor-report.ts";
import { Secret } from "../../lib/secret/secret.ts";
import { anthropicDialect } from "../anthropic/anthropic-dialect.ts";
import { EchoUpstream } from "../echo/echo-upstream.ts";
import { HttpUpstream } from "../http-upstream.ts";
import { openaiDialect } from "../openai/openai-dialect.ts";
import { examine } from "./examine.ts";

const NEVER = new AbortController().signal;
const server = startEmbeddingsServer();
afterAll(() => server.stop());

interface Item {
  readonly index: number;
  readonly embedding: number[] | string;
}

const knowsItsModel: NonNullable<Behaviour["fail"]> = ({ model }) => (model === "vectors" ? undefined : refuse("no such model", 404));

beforeEach(() => {
  server.received.length = 0;
  server.behaviour.fail = knowsItsModel;
  delete server.behaviour.change;
});

function examineServer(dialect = openaiDialect): Promise<DoctorReport> {
  const settings = remoteAt("mock", undefined, { baseUrl: server.baseUrl, allowPrivate: true }, [new Secret("credential")]);
  return examine(new HttpUpstream(settings, dialect), "vectors", NEVER, "embedding");
}

/** Changes the items of each response. */
function changeItems(change: (items: readonly Item[]) => readonly unknown[]): void {
  server.behaviour.change = (body) => ({ ...body, data: change(body["data"] as readonly Item[]) });
}

function findings({ checks }: DoctorReport): string[] {
  return checks.map(({ name, outcome, detail }) => `${name} ${outcome}: ${detail}`);
}

test("a model with embeddings in OpenAI's format passes every check, in four calls of two texts", async () => {
  const report = await examineServer();
  expect(findings(report)).toEqual([
    "embeddings passed: 2 vectors of length 4",
    "order passed: each text has its vector, in another order too",
    "base64 passed: the same vectors as base64",
    "usage passed: 13 tokens for 2 texts",
    "error passed: rejected a model that does not exist: upstream status 404: no such model",
  ]);
  expect(report).toMatchObject({ upstream: "mock", model: "vectors", deviations: [], tokens: 39 });
  expect(server.received.map(({ inputs, body, path }) => [inputs.length, body["encoding_format"], path])).toEqual([
    [2, "float", "/v1/embeddings"],
    [2, "float", "/v1/embeddings"],
    [2, "base64", "/v1/embeddings"],
    [2, "float", "/v1/embeddings"],
  ]);
});

const numbers = (items: readonly Item[]): Item[] =>
  items.map((item) => (typeof item.embedding === "string" ? { ...item, embedding: [1, 2, 3, 4] } : item));

test.each<[name: string, change: (items: readonly Item[]) => readonly unknown[], finding: string]>([
  [
    "different lengths",
    ([one, other]) => [one, { ...other, embedding: [1] }],
    "embeddings failed: the vectors have different lengths: 4 and 1",
  ],
  ["zeros", (items) => items.map((item) => ({ ...item, embedding: [0, 0] })), "embeddings failed: a vector has only zeros"],
  ["nothing", (items) => items.map((item) => ({ ...item, embedding: [] })), "embeddings failed: an embedding without numbers"],
  [
    "wrong positions",
    ([one, other]) => [
      { ...one, index: 1 },
      { ...other, index: 0 },
    ],
    "embeddings failed: data[0].index is 1",
  ],
  [
    "one vector for all",
    (items) => items.map((item) => ({ ...item, embedding: [1, 2] })),
    "embeddings warned: two different texts have the same vector",
  ],
  ["a missing vector", (items) => items.slice(1), "1 embeddings for 2 inputs"],
  ["other vectors as base64", numbers, "base64 failed: base64 has other vectors than numbers"],
])("reports %s", async (_, change, finding) => {
  changeItems(change);
  expect(findings(await examineServer()).join("\n")).toContain(finding);
});

test("reports vectors in an order of their own", async () => {
  changeItems((items) =>
    items.toSorted((one, other) => (String(one.embedding) < String(other.embedding) ? -1 : 1)).map((item, index) => ({ ...item, index })),
  );
  expect(findings(await examineServer())[1]).toBe("order failed: the vectors are not in the order of the texts");
});

test("skips the other checks of a model without embeddings", async () => {
  server.behaviour.fail = () => refuse("this model has no embeddings");
  const report = await examineServer();
  expect(report.checks.map(({ outcome }) => outcome)).toEqual(["failed", "skipped", "skipped", "skipped", "skipped"]);
  expect(findings(report)[1]).toBe("order skipped: it returns no embeddings");
});

test("reports missing token counts, and vectors that are converted", async () => {
  server.behaviour.change = ({ usage: _usage, ...body }) => ({
    ...body,
    data: (body["data"] as readonly Item[]).map((item) => ({ ...item, embedding: asNumbers(item.embedding) })),
  });
  const report = await examineServer();
  expect(findings(report)).toContain("usage failed: no token counts, so charges are estimated");
  expect(findings(report)).toContain("base64 warned: the upstream ignores encoding_format, so that its vectors are converted");
  expect(report.deviations).toContain("embedding_encoding");
});

function asNumbers(embedding: number[] | string): number[] {
  return typeof embedding === "string" ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, "base64")).buffer)] : embedding;
}

test("reports an upstream whose format has no embeddings, without a call", async () => {
  const failed = "embeddings failed: upstreams of the format";
  expect(findings(await examineServer(anthropicDialect))[0]).toStartWith(failed);
  expect(findings(await examine(new EchoUpstream({ id: "echo", dialect: "echo" }), "echo", NEVER, "embedding"))[0]).toStartWith(failed);
  expect(server.received).toEqual([]);
});
