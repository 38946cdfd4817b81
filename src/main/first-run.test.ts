import { expect, test } from "bun:test";
import { BUILT_IN } from "../config/environment.ts";
import { exampleModel, withDiscovered } from "./first-run.ts";
import type { Discovery } from "../upstreams/discover-models.ts";
import { plainModel } from "../models/catalog.ts";
import { remoteAt } from "../models/declared-upstream.ts";
import { Secret } from "../lib/secret/secret.ts";

/** An upstream that lists these models. */
function lists(id: string, baseUrl: string, names: readonly string[], credential?: Secret): Discovery {
  const upstream = remoteAt(id, undefined, { baseUrl, allowPrivate: true }, credential ? [credential] : []);
  const models = names.map((name) => ({
    ...plainModel(name, { upstream: id, upstreamModel: name }),
    kind: name.includes("embed") ? ("embedding" as const) : ("chat" as const),
  }));
  return { upstream, hasAnswered: true, models, problem: undefined };
}

const OPENAI = lists("openai", "https://api.openai.com/v1", ["gpt-4o", "gpt-4o-mini", "unpriced"], new Secret("credential"));
const OLLAMA = lists("ollama", "http://127.0.0.1:11434/v1", ["llama3.2:3b", "qwen3"]);
const LLAMA_CPP = lists("llama-cpp", "http://127.0.0.1:8080/v1", ["SmolLM2"]);

test.each([
  ["the first one of this machine", [OLLAMA, LLAMA_CPP], "llama3.2:3b"],
  ["a model of this machine before a provider's models", [OPENAI, LLAMA_CPP], "SmolLM2"],
  ["the cheapest of a provider", [OPENAI], "gpt-4o-mini"],
  ["no embedding model", [lists("ollama", "http://127.0.0.1:11434/v1", ["nomic-embed-text", "qwen3"])], "qwen3"],
  ["none without a price", [lists("other", "https://models.example/v1", ["m"], new Secret("credential"))], undefined],
  ["none that a shell could take for a command", [lists("hostile", "http://127.0.0.1:1/v1", ["m'$(id)'", "`id`"])], undefined],
  ["none if none was found", [discovery("silent", false)], undefined],
] as const)("the first request uses %s", (_, discoveries, model) => {
  const { catalog } = withDiscovered(BUILT_IN, discoveries, new Map());
  expect(exampleModel(discoveries, catalog, Date.UTC(2026, 0, 1))).toBe(model);
});

function discovery(id: string, hasAnswered: boolean, credential?: Secret): Discovery {
  const place = { baseUrl: `https://${id}.example/v1`, allowPrivate: false };
  const upstream = remoteAt(id, undefined, place, credential ? [credential] : []);
  return { upstream, hasAnswered, models: [], problem: "it lists no models" };
}

test("a server that does not respond does not become an upstream, unless it has a credential or serves a model", () => {
  const own = plainModel("own", { upstream: "started-later", upstreamModel: "any" });
  const discoveries = [
    discovery("silent", false),
    discovery("without-models", true),
    discovery("started-later", false),
    discovery("provider-that-is-down", false, new Secret("credential")),
  ];
  const { upstreams } = withDiscovered(BUILT_IN, discoveries, new Map([[own.id, own]]));
  expect(upstreams.map(({ id }) => id)).toEqual(["echo", "without-models", "started-later", "provider-that-is-down"]);
});

test("embedding models of a local server are free, and the models of a provider have its input price", () => {
  const local = lists("ollama", "http://127.0.0.1:11434/v1", ["nomic-embed-text"]);
  const remote = lists("openai", "https://api.openai.com/v1", ["text-embedding-3-small"], new Secret("credential"));
  const { catalog } = withDiscovered(BUILT_IN, [local, remote], new Map());
  const rates = ["nomic-embed-text", "text-embedding-3-small"].map((id) => catalog.get(id)!.prices[0]!.rates);
  expect(rates).toMatchObject([
    { inputPicos: 0n, outputPicos: 0n },
    { inputPicos: 20_000n, outputPicos: 0n },
  ]);
});
