import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { settledLedger } from "../cluster/cluster-ledger.ts";
import { startEmbeddingsServer } from "../embeddings/embeddings-server.ts";
import { ENDPOINTS, type ModelEndpoint } from "../support/endpoints.ts";
import { eventually } from "../support/eventually.ts";
import { startProcesses } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import type { RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import {
  chunk,
  completion,
  events,
  configFor,
  startMockUpstream,
  TEST_PRICE,
  usageChunk,
  type RecordedRequest,
} from "../support/upstreams/mock-upstream.ts";
import { accountNow, creditIn, dollarsOf, endsIn, ledgerOf, openIn, priceOf, type LedgerRow } from "./ledger-of.ts";

/** No endpoint overspends, however many processes share the credit. `endpoints.test.ts` has the same for one process. */

const REQUESTS = 200;
const AFFORDABLE = 10;
const MAX_TOKENS = 100;

/** Gateways that share one ledger. */
interface Deployment {
  readonly name: string;
  readonly isPossible: boolean;
  readonly start: (yaml: string) => Promise<StartedDeployment>;
}

interface StartedDeployment {
  readonly gateways: readonly RunningGateway[];
  /** All entries, once every hold has ended. */
  ledger(): Promise<LedgerRow[]>;
  stop(): Promise<void>;
}

const DEPLOYMENTS: readonly Deployment[] = [
  {
    name: "two processes",
    isPossible: true,
    async start(yaml) {
      const gateway = await startProcesses({ yaml });
      const isSettled = (rows: readonly LedgerRow[]): boolean => openIn(rows).length === 0;
      return { gateways: [gateway], ledger: () => eventually(() => ledgerOf(gateway), isSettled), stop: () => gateway.stop() };
    },
  },
  {
    name: "two gateways on PostgreSQL",
    isPossible: hasPostgres,
    async start(yaml) {
      const cluster = await startCluster(2, { yaml });
      return { gateways: cluster.gateways, ledger: () => settledLedger(cluster), stop: () => cluster.stop() };
    },
  },
];

/** The tokens of the prompt in the next bills: as many as its bytes, so that a charge is as high as its hold. */
let promptTokens = 0;
const upstream = startMockUpstream({ "up-m": billInFull });
const embedder = startEmbeddingsServer();
embedder.behaviour.change = (body) => ({ ...body, usage: { prompt_tokens: promptTokens, total_tokens: promptTokens } });
afterAll(() => Promise.all([upstream.stop(), embedder.stop()]));

/** What 200 callers send at once. */
interface Rush extends Pick<ModelEndpoint, "path" | "creditSpent" | "creditInFlight"> {
  readonly name: string;
  readonly body: string;
  readonly maxTokens: number;
  readonly received: () => number;
}

const RUSHES: readonly Rush[] = [
  ...ENDPOINTS.flatMap((endpoint) =>
    [false, true].map((stream): Rush => {
      const body = JSON.stringify(endpoint.bodyFor({ model: "m", maxTokens: MAX_TOKENS, stream }));
      const name = `${endpoint.name}-${stream ? "streams" : "json"}`;
      return { ...endpoint, name, body, maxTokens: MAX_TOKENS, received: () => upstream.requests.length };
    }),
  ),
  {
    name: "embeddings",
    path: "/embeddings",
    creditSpent: 402,
    creditInFlight: 402,
    body: JSON.stringify({ model: "vectors", input: ["one", "two"] }),
    maxTokens: 0,
    received: () => embedder.received.length,
  },
];

function billInFull({ body }: RecordedRequest): Response {
  const usage = { prompt_tokens: promptTokens, completion_tokens: MAX_TOKENS, total_tokens: promptTokens + MAX_TOKENS };
  if (body["stream"] !== true) return Response.json(completion({}, { usage }));
  return events([chunk({ role: "assistant", content: "Hello" }), chunk({}, "stop"), usageChunk(usage)]);
}

for (const { name, isPossible, start } of DEPLOYMENTS) {
  describe.skipIf(!isPossible)(name, () => {
    let deployment: StartedDeployment;

    beforeAll(async () => {
      const vectors = `  - { id: vectors, kind: embedding, routes: [{ upstream: embedder, model: v }], price: ${TEST_PRICE} }\n`;
      const place = `  - { id: embedder, dialect: openai, base_url: "${embedder.baseUrl}", allow_private: true }\n`;
      const config = configFor(upstream.baseUrl, ["m"])
        .replace("upstreams:\n", `upstreams:\n${place}`)
        .replace("models:\n", `models:\n${vectors}`);
      deployment = await start(`endpoints: [messages, responses, embeddings]\n${config}`);
    });

    afterAll(() => deployment?.stop());

    test.each(RUSHES.map((rush) => [rush.name, rush] as const))(
      "%s: of 200 at once with credit for 10, exactly 10 are served and charged, and nothing is left",
      async (account, rush) => {
        const [first] = deployment.gateways as [RunningGateway];
        promptTokens = Buffer.byteLength(rush.body);
        const holdNanos = priceOf(promptTokens, rush.maxTokens);
        const key = await createKey(first, account, holdNanos * BigInt(AFFORDABLE));
        const before = rush.received();

        const statuses = await Promise.all(
          Array.from({ length: REQUESTS }, (_, at) => {
            const gateway = deployment.gateways[at % deployment.gateways.length]!;
            return postUntilDecided(gateway, rush, key);
          }),
        );
        expect(countsOf(statuses)).toEqual({ 200: AFFORDABLE, [rush.creditSpent]: REQUESTS - AFFORDABLE });
        expect(rush.received() - before).toBe(AFFORDABLE);

        const rows = await deployment.ledger();
        endsIn(rows);
        const charges = rows.filter(({ kind: entry, account_id: id }) => entry === "settle" && id === account);
        expect(charges.map(({ amount_nanos: amount }) => amount)).toEqual(charges.map(() => holdNanos));
        expect(creditIn(rows.filter(({ account_id: id }) => id === account))).toBe(0n);
        const now = await eventually(
          () => accountNow(first, account),
          ({ creditNanos }) => creditNanos === 0n,
        );
        expect(now.heldNanos).toBe(0n);
        expect(await first.platform<object>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
      },
    );
  });
}

async function createKey(gateway: RunningGateway, account: string, nanos: bigint): Promise<string> {
  await gateway.platform("POST", "/api/accounts", { id: account, name: account });
  await gateway.platform("POST", `/api/accounts/${account}/grants`, { amount: dollarsOf(nanos), reference: "grant", reason: "for tests" });
  const { key } = await gateway.platform<{ key: string }>("POST", "/api/keys", { name: account, models: ["*"], account });
  return key;
}

/** Sends a request again while requests in flight hold the credit. Only then does a rejection name a time to wait. */
async function postUntilDecided(gateway: RunningGateway, rush: Rush, key: string): Promise<number> {
  for (;;) {
    const { status, headers } = await postUntilVerified(() => post(gateway, rush, key));
    const wait = headers.get("retry-after");
    if (wait === null) return status;
    expect(status).toBe(rush.creditInFlight);
    await Bun.sleep(Number(wait) * 1000);
  }
}

/** On a new connection: the kernel chooses the process that accepts it. */
async function post(
  { baseUrl }: RunningGateway,
  { path, body }: Rush,
  key: string,
): Promise<{ status: number; headers: Headers; text: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" };
  const reply = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body, keepalive: false });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

function countsOf(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
