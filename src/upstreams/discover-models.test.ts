import { afterAll, expect, test } from "bun:test";
import { remoteAt } from "../models/declared-upstream.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import { NO_CLOUD_VARIABLES } from "../models/identities/cloud-variables.ts";
import { discoverModels } from "./discover-models.ts";
import { Identities } from "./identities/identities.ts";
import { DIALECTS_OVER_HTTP } from "./registry.ts";

const IDENTITIES = new Identities(NO_CLOUD_VARIABLES);
const seen: (string | null)[] = [];
const servers = [
  Bun.serve({
    port: 0,
    fetch(request) {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
      const data = [
        { id: "llama3.2:3b", created: 7, owned_by: "library" },
        { id: "nomic-embed-text" },
        { id: "bge-m3:latest" },
        { id: "all-minilm:22m" },
        { id: "bge-reranker-v2-m3" },
        { id: "whisper-large-v3" },
        { id: "bad id" },
        { id: 7 },
        { id: "qwen" },
        { id: "/var/lib/embeddings and others/SmolLM2.Q4_1.gguf", owned_by: "llamacpp" },
      ];
      return Response.json({ object: "list", data });
    },
  }),
  Bun.serve({ port: 0, fetch: () => new Response("<html>a web site</html>") }),
  Bun.serve({ port: 0, fetch: () => Response.json({ error: "no" }, { status: 401 }) }),
  Bun.serve({ port: 0, fetch: () => new Promise<Response>(() => undefined) }),
  Bun.serve({ port: 0, fetch: () => Response.json([{ id: "bare-list" }]) }),
];
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

function upstream(id: string, port: number, credential?: Secret): RemoteSettings {
  return remoteAt(id, undefined, { baseUrl: `http://127.0.0.1:${port}/v1`, allowPrivate: true }, credential ? [credential] : []);
}

test("finds a model server with its models of each kind; not a web site, an error, a timeout or a closed port", async () => {
  const [models, site, refusal, silence, bare] = servers.map((server) => server.port!);
  const found = await discoverModels(
    [
      upstream("local", models!, new Secret("cred")),
      upstream("site", site!),
      upstream("refusal", refusal!),
      upstream("silence", silence!),
      upstream("nothing", 1),
      upstream("bare", bare!),
    ],
    DIALECTS_OVER_HTTP,
    IDENTITIES,
  );
  expect(found.map((each) => [each.upstream.id, each.problem])).toEqual([
    ["local", undefined],
    ["site", expect.any(String)],
    ["refusal", "it returned status 401"],
    ["silence", expect.stringMatching(/^waited 2000 ms for /)],
    ["nothing", expect.stringContaining("ECONNREFUSED")],
    ["bare", undefined],
  ]);
  expect(found.map(({ hasAnswered }) => hasAnswered)).toEqual([true, false, false, false, false, true]);
  expect(found.at(-1)!.models).toMatchObject([{ id: "bare-list" }]);
  expect(found[0]!.models).toMatchObject([
    {
      id: "llama3.2:3b",
      kind: "chat",
      ownedBy: "library",
      createdSeconds: 7,
      routes: [{ upstream: "local", upstreamModel: "llama3.2:3b" }],
    },
    { id: "nomic-embed-text", kind: "embedding", routes: [{ upstream: "local", upstreamModel: "nomic-embed-text" }] },
    { id: "bge-m3:latest", kind: "embedding" },
    { id: "all-minilm:22m", kind: "embedding" },
    { id: "qwen", kind: "chat", ownedBy: "local", state: { name: "available" } },
    {
      id: "SmolLM2.Q4_1",
      kind: "chat",
      routes: [{ upstream: "local", upstreamModel: "/var/lib/embeddings and others/SmolLM2.Q4_1.gguf" }],
    },
  ]);
  expect(seen).toEqual(["GET /v1/models Bearer cred"]);
});

test("does not request a model list from a server without one", async () => {
  const asked = seen.length;
  const place = { baseUrl: `http://127.0.0.1:${servers[0]!.port}/openai/v1`, allowPrivate: true };
  const [found] = await discoverModels([remoteAt("azure", "azure", place, [new Secret("cred")])], DIALECTS_OVER_HTTP, IDENTITIES);
  expect(found).toMatchObject({
    hasAnswered: false,
    models: [],
    problem: expect.stringContaining("add the models that you use") as string,
  });
  expect(seen).toHaveLength(asked);
});

test("finds embedding models only where the upstream's format has embeddings", async () => {
  const ofClaude = { ...upstream("local", servers[0]!.port!), dialect: "anthropic" as const };
  const [found] = await discoverModels([ofClaude], DIALECTS_OVER_HTTP, IDENTITIES);
  expect(found!.models.map(({ id }) => id)).toEqual(["llama3.2:3b", "qwen", "SmolLM2.Q4_1"]);
});
