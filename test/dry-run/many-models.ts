import {
  completion,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  TEST_PRICE,
  type MockUpstream,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

/** A gateway with models of every kind, behind an upstream that always responds. */
export interface ManyModels {
  readonly mock: MockUpstream;
  readonly gateway: RunningGateway;
  /** Releases the responses of the model `busy`, which has one concurrency slot. */
  release(): void;
  stop(): Promise<void>;
}

export const MODELS = ["plain", "capped", "gratis", "old", "gone", "unpriced", "strict", "dropping", "dear", "kept", "several"];

function answer({ body }: RecordedRequest): Response {
  return body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion());
}

function route(model: string, more = ""): string {
  return `{ upstream: mock, model: ${model}${more} }`;
}

function priced(id: string, more = "", routes = route(id)): string {
  return `  - { id: ${id}, routes: [${routes}], price: ${TEST_PRICE}${more} }`;
}

export async function startManyModels(env: Record<string, string> = {}): Promise<ManyModels> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const busy = async (): Promise<Response> => {
    await released;
    return Response.json(completion());
  };
  const scripts = Object.fromEntries([...MODELS, "second"].map((model) => [model, answer]));
  const mock = startMockUpstream({ ...scripts, busy });
  const upstream = (id: string, more = ""): string =>
    `  - { id: ${id}, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: c${more} }`;
  const yaml = `upstreams:
${upstream("mock")}
${upstream("other")}
${upstream("narrow", ", concurrency: { max_calls: 1, max_queued: 0 }")}
models:
${priced("plain")}
${priced("capped", ", max_output_tokens: 50")}
  - { id: gratis, routes: [${route("gratis")}], free: true }
${priced("old", ', state: deprecated, shutdown_date: "2127-01-31", replacement: plain')}
${priced("gone", ", state: retired, replacement: plain")}
  - { id: unpriced, routes: [${route("unpriced")}] }
${priced("strict", ", parameters: { seed: refuse }")}
${priced("dropping", ", parameters: { seed: drop, user: { rename: end_user } }")}
${priced("dear", "", route("dear", ", max_price: { input_per_million: 0.1 }"))}
${priced("busy", "", "{ upstream: narrow, model: busy }")}
${priced("kept", ", cache: { ttl_seconds: 600, price_percent: 50 }")}
${priced("several", ", sticky: false", `${route("several", ", priority: 2")}, { upstream: other, model: second, weight: 3 }, ${route("dear", ", max_price: { input_per_million: 0.1 }")}`)}
`;
  const gateway = await startGateway({ yaml, env });
  return {
    mock,
    gateway,
    release,
    async stop() {
      release();
      await gateway.stop();
      await mock.stop();
    },
  };
}

export interface Explanation {
  readonly status: number;
  readonly error: Record<string, unknown> | null;
  readonly routes: Record<string, unknown>[] | null;
  readonly [name: string]: unknown;
}

export function post(gateway: RunningGateway, key: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body,
  });
}

export async function explained(
  gateway: RunningGateway,
  key: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Explanation> {
  const reply = await post(gateway, key, body, { ...headers, "x-dry-run": "1" });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as Explanation;
}
