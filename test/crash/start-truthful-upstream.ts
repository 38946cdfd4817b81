import { join } from "node:path";
import { configFor, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { spawnListening } from "../support/spawn-listening.ts";
import type { UpstreamCall } from "./truthful-upstream.ts";

/** The running upstream of `truthful-upstream.ts`. */
export interface TruthfulUpstream {
  /** A config file with which a gateway serves all of `MODELS` from this upstream. */
  readonly yaml: string;
  /** The same with all endpoints, and for each model one that is relayed from the Messages API and one from the Responses API. */
  readonly yamlWithRelays: string;
  readonly calls: () => Promise<UpstreamCall[]>;
  readonly stop: () => Promise<void>;
}

export const MODELS = ["quick-counted", "quick-tail", "slow-counted", "slow-tail"] as const;

export async function startTruthfulUpstream(): Promise<TruthfulUpstream> {
  const { port, stop } = await spawnListening(join(import.meta.dir, "truthful-upstream.ts"));
  const address = `http://127.0.0.1:${port}`;
  return {
    yaml: configFor(`${address}/v1`, MODELS),
    yamlWithRelays: `endpoints: [messages, responses]
upstreams:
  - { id: chat, dialect: openai, base_url: "${address}/v1", allow_private: true }
  - { id: messages, dialect: anthropic, base_url: "${address}/v1", allow_private: true }
  - { id: responses, dialect: openai, preset: openai, base_url: "${address}/v1", allow_private: true, credential: canary }
models:
${MODELS.flatMap((model) => [modelLine(model, "chat", model), ...["messages", "responses"].map((api) => modelLine(`${api}-${model}`, api, model))]).join("\n")}
`,
    calls: async () => (await (await fetch(`${address}/calls`)).json()) as UpstreamCall[],
    stop,
  };
}

function modelLine(id: string, upstream: string, model: string): string {
  return `  - { id: ${id}, routes: [{ upstream: ${upstream}, model: ${model} }], price: ${TEST_PRICE} }`;
}
