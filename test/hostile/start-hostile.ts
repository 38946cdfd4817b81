import { join } from "node:path";
import { completion, events, GOOD_CHUNKS, startMockUpstream, TEST_PRICE } from "../support/upstreams/mock-upstream.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { spawnListening } from "../support/spawn-listening.ts";
import { allCases } from "./all-cases.ts";
import type { HostileCase } from "./hostile-case.ts";
import type { HostileReply } from "./expect-outcome.ts";

/** A gateway with one model for each hostile upstream. */
export interface Hostile {
  readonly gateway: RunningGateway;
  /** Sends a request to the upstream of a case, by its index in the list, or to the good upstream. */
  ask(place: number | "good", stream: boolean, endpoint?: ModelEndpoint): Promise<HostileReply & { requestId: string }>;
  /** The number of followed redirects. */
  insideVisits(): Promise<number>;
  stop(): Promise<void>;
}

/** No request may take longer than this: it would be a hang. */
const HANGING_MS = 240_000;

const SHORT = "{ connect_ms: 120000, first_byte_ms: 1200, between_chunks_ms: 1200, total_ms: 2000 }";
const LONG = "{ connect_ms: 120000, first_byte_ms: 120000, between_chunks_ms: 120000, total_ms: 120000 }";

const [CHAT] = ENDPOINTS as [ModelEndpoint];

/** Starts a gateway with the upstreams of the selected cases. */
export async function startHostile(isWanted: (each: HostileCase) => boolean): Promise<Hostile> {
  const upstream = await spawnListening(join(import.meta.dir, "hostile-upstream.ts"));
  const origin = `http://127.0.0.1:${upstream.port}`;
  const ports = (await (await fetch(`${origin}/ports`)).json()) as number[];
  const good = startMockUpstream({ m: ({ body }) => (body["stream"] === true ? events(GOOD_CHUNKS) : Response.json(completion())) });
  const gateway = await startGateway({ yaml: yamlFor(ports, good.baseUrl, isWanted) });
  const { key } = await gateway.makeKey();
  // Some of these upstreams report a billion tokens.
  await gateway.platform("POST", "/api/accounts/default/grants", { amount: "1000000", reference: "for billions", reason: "for tests" });
  return {
    gateway,
    async ask(place, stream, endpoint = CHAT) {
      const model = `case-${place}`;
      const response = await fetch(`${gateway.baseUrl}${endpoint.path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(endpoint.bodyFor({ model, prompt: "hi", stream })),
        signal: AbortSignal.timeout(HANGING_MS),
      });
      const { status, headers } = response;
      return { endpoint, model, stream, status, headers, text: await response.text(), requestId: headers.get("x-request-id")! };
    },
    async insideVisits() {
      return ((await (await fetch(`${origin}/visits`)).json()) as { insideVisits: number }).insideVisits;
    },
    async stop() {
      await gateway.stop();
      await upstream.stop();
      await good.stop();
    },
  };
}

/** An upstream and a model for each case, so that no case affects another. */
function yamlFor(ports: readonly number[], goodUrl: string, isWanted: (each: HostileCase) => boolean): string {
  const upstreams = [upstreamLine("good", goodUrl, "openai", LONG)];
  const models = [modelLine("good")];
  for (const [place, each] of allCases().entries()) {
    if (!isWanted(each)) continue;
    const origin = `http://127.0.0.1:${ports[place % ports.length]}`;
    upstreams.push(upstreamLine(place, `${origin}/${place}/v1`, each.dialect, each.isSlow ? SHORT : LONG));
    models.push(modelLine(place));
  }
  return `endpoints: [messages, responses]\nupstreams:\n${upstreams.join("\n")}\nmodels:\n${models.join("\n")}\n`;
}

function upstreamLine(place: number | "good", baseUrl: string, dialect: string, timeouts: string): string {
  const address = `base_url: "${baseUrl}", allow_private: true`;
  return `  - { id: case-${place}, dialect: ${dialect}, ${address}, credential: canary-credential, timeouts: ${timeouts} }`;
}

function modelLine(place: number | "good"): string {
  return `  - { id: case-${place}, routes: [{ upstream: case-${place}, model: m }], price: ${TEST_PRICE} }`;
}
