import { afterAll, expect, test } from "bun:test";
import type { DoctorReport, Model } from "../../platform-client/types.ts";
import { commandRunner } from "../commands/command-runner.ts";
import { askPlatform } from "../support/gateway/call-platform.ts";
import { startGateway } from "../support/gateway/start-gateway.ts";
import { refuse, startEmbeddingsServer } from "./embeddings-server.ts";

const server = startEmbeddingsServer();
server.behaviour.fail = ({ model }) => (model === "up-vectors" ? undefined : refuse("no such model", 404));
const gateway = await startGateway({
  yaml: `endpoints: [embeddings]
upstreams:
  - { id: local, dialect: openai, base_url: "${server.baseUrl}", allow_private: true }
models: []
`,
});
const tollgate = commandRunner(gateway);

afterAll(async () => {
  await gateway.stop();
  await server.stop();
});

test("an embedding model is created with an input price and a route cost, and a chat model is not", async () => {
  const options = "--route local/up-vectors,input-cost=0.01 --input-price 0.02";
  const chat = await tollgate.run(`models create chat ${options}`);
  expect([chat.code, chat.stderr]).toEqual([1, expect.stringMatching(/output[-_]/) as string]);
  const model = await tollgate.json<Model>(`models create vectors --kind embedding ${options}`);
  expect(model).toMatchObject({ kind: "embedding", price: { input_per_million: 0.02, output_per_million: 0 } });
  expect(model.routes).toMatchObject([{ cost: { input_per_million: 0.01, output_per_million: 0 } }]);
});

test("the model list can be limited to a kind", async () => {
  await tollgate.text("models create talks --route local/talks --free yes");
  const idsOf = async (kind: string): Promise<string[]> =>
    (await tollgate.json<{ data: Model[] }>(`models list --kind ${kind}`)).data.map(({ id }) => id);
  expect(await idsOf("embedding")).toEqual(["vectors"]);
  expect(await idsOf("chat")).toEqual(["talks"]);
});

test("tollgate doctor embeds texts by a model's kind, its routes, its name or --kind", async () => {
  const text = await tollgate.text("doctor vectors");
  expect(text).toMatch(/^✓ {2}embeddings +passed +\d+ {2}2 vectors of length 4$/m);
  expect(text).toMatch(/^✓ {2}error +passed/m);
  expect(text).toContain("5 passed, in 39 tokens.");
  for (const line of ["doctor up-vectors --upstream local", "doctor up-vectors --upstream local --kind embedding"]) {
    expect((await tollgate.json<{ reports: DoctorReport[] }>(line)).reports[0]!.checks[0]!.name).toBe("embeddings");
  }
  const { body } = await askPlatform(gateway, "POST", "/api/upstreams/local/doctor", { model: "nomic-embed-text" });
  expect(body["checks"]).toMatchObject([{ name: "embeddings", outcome: "failed" }, {}, {}, {}, {}]);
});
