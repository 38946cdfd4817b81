import {
  completion,
  events,
  GOOD_CHUNKS,
  startMockUpstream,
  TEST_PRICE,
  type MockUpstream,
  type Script,
} from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";

export interface CachedModels {
  readonly mock: MockUpstream;
  readonly gateway: RunningGateway;
  readonly key: string;
  /** The number of calls that the upstream has received. */
  calls(): number;
  /** Sends the same request each time, with additional fields if given. */
  ask(model: string, more?: object, headers?: Record<string, string>): Promise<Response>;
  /** Sends a body unchanged. */
  send(body: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  stop(): Promise<void>;
}

/** Responds differently each time, so that a cached response can be distinguished from a new one. */
export function newAnswer({ requests }: { readonly requests: readonly unknown[] }): Script {
  return ({ body }) => {
    const word = `answer ${requests.length}`;
    if (body["stream"] !== true) return Response.json(completion({ content: word }));
    return events(GOOD_CHUNKS.map((event) => event.replace("Hello", word)));
  };
}

/** A gateway with models that have a response cache: each name with its settings, and the behaviour of its upstream. */
export async function startCachedModels(
  models: Readonly<Record<string, { terms?: string; more?: string; script?: (mock: () => MockUpstream) => Script }>>,
): Promise<CachedModels> {
  const scripts = Object.entries(models).map(([name, { script }]) => {
    const answer: Script = (request) => (script ? script(() => mock)(request) : newAnswer(mock)(request));
    return [name, answer] as const;
  });
  const mock = startMockUpstream(Object.fromEntries(scripts));
  const lines = Object.entries(models).map(([name, { terms, more = "" }]) => {
    const cache = terms === undefined ? "" : `, cache: { ${terms} }`;
    return `  - { id: ${name}, routes: [{ upstream: mock, model: ${name} }], price: ${TEST_PRICE}${cache}${more} }`;
  });
  const upstream = `{ id: mock, dialect: openai, base_url: "${mock.baseUrl}", allow_private: true, credential: c }`;
  const gateway = await startGateway({ yaml: `upstreams: [${upstream}]\nmodels:\n${lines.join("\n")}\n`, env: CANCELS });
  const { key } = await gateway.makeKey();
  const send = (body: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body,
      signal: signal ?? null,
    });
  return {
    mock,
    gateway,
    key,
    calls: () => mock.requests.length,
    ask: (model, more = {}, headers = {}) =>
      send(JSON.stringify({ model, messages: [{ role: "user", content: "How much is the fish?" }], ...more }), headers),
    send,
    async stop() {
      await gateway.stop();
      await mock.stop();
    },
  };
}
