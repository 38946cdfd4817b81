import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { join } from "node:path";
import type { Account, Receipt } from "../../platform-client/types.ts";
import { parseDollars } from "../../src/money/money.ts";
import type { AuditReport } from "../../src/platform/audit/auditor.ts";
import { chunksIn, replyOf, type Reply } from "../money/post-chat.ts";
import { FlakyUpstream, rejectsWith, type ReceivedRequest } from "../routes/flaky-upstream.ts";
import { eventually } from "../support/eventually.ts";
import { gatewayPids, startProcesses } from "../support/gateway/gateway-processes.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { SeededRandom } from "../support/random.ts";
import { chunk, completion, events, manualStream, rawEvents, usageChunk } from "../support/upstreams/mock-upstream.ts";
import { PROVIDER_ERRORS } from "./provider-errors.ts";

/** Pico-dollars per token of input and output, by model. No rate is a whole number of nano-dollars. */
const RATES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  a: [1_000_001n, 2_000_003n],
  b: [3_000_007n, 4_000_009n],
  c: [500_003n, 9_000_001n],
  d: [7_000_013n, 1_000_021n],
};
const MODELS = Object.keys(RATES);
const EVERYTHING = ["error", "context_length", "content_filter"];
const FALLBACKS: Readonly<Record<string, readonly unknown[]>> = {
  a: [{ model: "b", on: EVERYTHING }, "c", { model: "d", on: ["content_filter"] }],
  b: [
    { model: "c", on: ["context_length", "content_filter"] },
    { model: "d", on: EVERYTHING },
  ],
  c: [{ model: "d", on: ["error", "context_length"] }],
  d: [],
};
const LIST_PERCENT = 70n;

const errorOf = (condition: string): ((asked: ReceivedRequest) => Response | Promise<Response>) =>
  PROVIDER_ERRORS.find((each) => each.provider === "OpenAI" && each.condition === condition)!.does;

/** How a model responds to a request: the prompt selects it. */
const FATES = {
  answers: undefined,
  // The response breaks after the first byte of a stream: then there is no fallback.
  breaks: undefined,
  fails: rejectsWith(500),
  busy: rejectsWith(429),
  long: errorOf("context_length"),
  filtered: errorOf("content_filter"),
} as const;
type Fate = keyof typeof FATES;

interface Plan {
  readonly fates: Readonly<Record<string, Fate>>;
  readonly usage: Readonly<Record<string, readonly [number, number]>>;
}

function asPlanned(asked: ReceivedRequest): Response | Promise<Response> {
  const { model, messages, stream } = asked.body as { model: string; messages: { content: string }[]; stream?: boolean };
  const { fates, usage } = JSON.parse(messages[0]!.content) as Plan;
  const fate = fates[model]!;
  const [prompt, output] = usage[model]!;
  const counts = { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
  if (fate === "breaks" && stream) return rawEvents(`data: ${chunk({ content: "Hel" })}\n\n`);
  if (fate !== "answers" && fate !== "breaks") return FATES[fate](asked);
  if (!stream) return Response.json(completion({}, { usage: counts }));
  return events([chunk({ content: "Hello" }), chunk({}, "stop"), usageChunk(counts)]);
}

/** The charge computed as the documents describe it: each rate at the percentage of the list, rounded up, and then the sum. */
function chargeOf(model: string, [prompt, output]: readonly [number, number], percent: bigint): bigint {
  const [input, out] = RATES[model]!.map((rate) => (rate * percent + 99n) / 100n) as [bigint, bigint];
  return (BigInt(prompt) * input + BigInt(output) * out + 999n) / 1000n;
}

function priceOf(model: string): object {
  const [input, output] = RATES[model]!;
  return { input_per_million: Number(input) / 1e6, output_per_million: Number(output) / 1e6 };
}

function declared(model: string, id: string): object {
  return { id, routes: [{ upstream: "mock", model }], price: priceOf(model) };
}

function configAt(port: number): string {
  return JSON.stringify({
    upstreams: [{ id: "mock", dialect: "openai", base_url: `http://127.0.0.1:${port}/v1`, allow_private: true, credential: "c" }],
    // The same models without fallbacks, to compare holds with.
    models: MODELS.flatMap((model) => [
      { ...declared(model, model), fallback_models: FALLBACKS[model] },
      declared(model, model.toUpperCase()),
    ]),
  });
}

const upstream = new FlakyUpstream("mock", asPlanned);
afterAll(() => upstream.stop());

interface Deployment {
  readonly gateways: readonly RunningGateway[];
  stop(): Promise<unknown>;
}

async function startOne(starting: Promise<RunningGateway>): Promise<Deployment> {
  const gateway = await starting;
  return { gateways: [gateway], stop: () => gateway.stop() };
}

const DEPLOYMENTS: readonly [name: string, start: (yaml: string) => Promise<Deployment>][] = [
  ["SQLite", (yaml) => startOne(startGateway({ yaml }))],
  ["SQLite, with two gateway processes", (yaml) => startOne(startProcesses({ yaml }, 2))],
  ["PostgreSQL, with two gateways", (yaml) => startCluster(2, { yaml }, ["fsync=off"])],
];
const TRIED = DEPLOYMENTS.slice(0, hasPostgres ? 3 : 2);

const REQUESTS = isLong ? 2_000 : 120;
const SEED = Number(process.env["TOLLGATE_TEST_SEED"] ?? 30);

for (const [name, start] of TRIED) {
  describe(`with ${name}`, () => {
    let deployment: Deployment;
    const keys = new Map<string, string>();
    beforeAll(async () => {
      deployment = await start(configAt(upstream.port));
      const [gateway] = deployment.gateways;
      await gateway!.platform("POST", "/api/price-lists", { id: "cheaper", name: "cheaper", percent: Number(LIST_PERCENT) });
      for (const account of ["plain", "listed"]) {
        await gateway!.platform("POST", "/api/accounts", {
          id: account,
          name: account,
          ...(account === "listed" && { price_list: "cheaper" }),
        });
        await gateway!.platform("POST", `/api/accounts/${account}/grants`, { amount: "1000", reference: "first", reason: "for tests" });
        const { key } = await gateway!.platform<{ key: string }>("POST", "/api/keys", { name: account, models: ["*"], account });
        keys.set(account, key);
      }
    });
    afterAll(() => deployment?.stop());

    const ask = async (
      model: string,
      plan: Plan,
      account: string,
      more: { stream?: boolean; at?: number; dryRun?: boolean } = {},
    ): Promise<Reply> => {
      const { gateways } = deployment;
      const headers = {
        authorization: `Bearer ${keys.get(account)!}`,
        "content-type": "application/json",
        ...(more.dryRun && { "x-dry-run": "1" }),
      };
      const options = more.stream ? { stream: true, stream_options: { include_usage: true } } : {};
      const body = JSON.stringify({ model, max_tokens: 300, messages: [{ role: "user", content: JSON.stringify(plan) }], ...options });
      const { baseUrl } = gateways[(more.at ?? 0) % gateways.length]!;
      return postUntilVerified(async () => replyOf(await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers, body })));
    };
    const receiptOf = ({ requestId }: Reply): Promise<Receipt> =>
      eventually(
        () => deployment.gateways[0]!.platform<Receipt>("GET", `/api/receipts/${requestId}`).catch(() => undefined),
        (receipt) => receipt !== undefined && receipt.state !== "open",
      ) as Promise<Receipt>;

    test(`random faults are charged as the model that answered, exactly and within the hold (seed ${SEED})`, async () => {
      const random = new SeededRandom(SEED);
      const charged = { plain: 0n, listed: 0n };
      const seen = { fallbacks: 0, failures: 0, broken: 0 };
      const one = async (at: number): Promise<void> => {
        const requested = random.pick(MODELS);
        const account = random.pick(["plain", "listed"] as const);
        const stream = random.happens(0.5);
        const fate = (): Fate => (random.happens(0.4) ? "answers" : random.pick(Object.keys(FATES) as Fate[]));
        const plan: Plan = {
          fates: Object.fromEntries(MODELS.map((model) => [model, fate()])),
          usage: Object.fromEntries(
            MODELS.map((model) => [model, [1 + Math.floor(random.next() * 200), Math.floor(random.next() * 300)] as const]),
          ),
        };
        const reply = await ask(requested, plan, account, { stream, at });
        const receipt = await receiptOf(reply);
        const amount = parseDollars(receipt.charged!)!;
        charged[account] += amount;
        expect(receipt.requested_model).toBe(requested);
        expect(amount <= parseDollars(receipt.held)!).toBe(true);
        if (reply.status !== 200) {
          seen.failures++;
          expect([receipt.state, amount]).toEqual(["released", 0n]);
          return;
        }
        const { model } = receipt;
        if (model !== requested) seen.fallbacks++;
        expect(reply.headers.get("x-tollgate-model") ?? requested).toBe(model);
        if (reply.text.includes('"upstream_error"')) {
          seen.broken++;
          expect(plan.fates[model]).toBe("breaks");
          return;
        }
        expect(["answers", "breaks"]).toContain(plan.fates[model]!);
        expect(amount).toBe(chargeOf(model, plan.usage[model]!, account === "listed" ? LIST_PERCENT : 100n));
        const names = stream ? chunksIn(reply.text).map((each) => each["model"]) : [(JSON.parse(reply.text) as { model: string }).model];
        expect(new Set(names)).toEqual(new Set([model]));
      };
      let next = 0;
      const caller = async (): Promise<void> => {
        while (next < REQUESTS) await one(next++);
      };
      await Promise.all(Array.from({ length: 6 }, caller));
      expect(Object.values(seen).every((count) => count > 0)).toBe(true);

      for (const [id, spent] of Object.entries(charged)) {
        // Gateways that share a database report their charges to each other after the response.
        await eventually(
          () => deployment.gateways[0]!.platform<Account>("GET", `/api/accounts/${id}`),
          ({ held, credit }) => parseDollars(held) === 0n && parseDollars(credit) === 1_000_000_000_000n - spent,
        );
      }
      expect(await deployment.gateways[0]!.platform<AuditReport>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
    });

    test("the hold covers the most expensive candidate, with the prices of the account", async () => {
      const plan: Plan = { fates: {}, usage: {} };
      const holdOf = async (model: string, account: string): Promise<bigint> =>
        parseDollars((JSON.parse((await ask(model, plan, account, { dryRun: true })).text) as { hold: string }).hold)!;
      for (const account of ["plain", "listed"]) {
        const alone = new Map(await Promise.all(MODELS.map(async (model) => [model, await holdOf(model.toUpperCase(), account)] as const)));
        for (const model of MODELS) {
          const names = FALLBACKS[model]!.map((each) => (typeof each === "string" ? each : (each as { model: string }).model));
          const highest = [model, ...names].map((each) => alone.get(each)!).reduce((most, each) => (each > most ? each : most));
          expect([model, await holdOf(model, account)]).toEqual([model, highest]);
        }
      }
    });
  });
}

/** A deployment whose gateway is killed, and that finishes its requests afterwards. */
interface KilledDeployment {
  readonly gateway: RunningGateway;
  /** The recorded progress of responses, as JSON. */
  progress(): Promise<readonly string[]>;
  /** Kills the process that serves requests, and returns a working gateway. */
  kill(): Promise<RunningGateway>;
  stop(): Promise<void>;
}

async function startEmbedded(yaml: string, processes: number): Promise<KilledDeployment> {
  let gateway = processes === 1 ? await startGateway({ yaml }) : await startProcesses({ yaml }, processes);
  const { folder } = gateway;
  return {
    gateway,
    async progress() {
      const file = new Database(join(folder, "data", "tollgate.db"), { readonly: true });
      const rows = file.query<{ says: string }, []>("select says from progress").all();
      file.close();
      return rows.map(({ says }) => says);
    },
    async kill() {
      for (const pid of processes === 1 ? [gateway.pid] : await gatewayPids(gateway)) process.kill(pid, "SIGKILL");
      if (processes > 1) return gateway;
      await gateway.end();
      return (gateway = await startGateway({ yaml, folder }));
    },
    stop: () => gateway.stop(),
  };
}

/** The other gateway continues, and the killed gateway is started again in its folder. */
async function startOnPostgres(yaml: string): Promise<KilledDeployment> {
  const cluster = await startCluster(2, { yaml }, ["fsync=off"]);
  const [gateway, other] = cluster.gateways as [RunningGateway, RunningGateway];
  const sql = new SQL(cluster.url.reveal(), { max: 1 });
  return {
    gateway,
    async progress() {
      const rows = await sql<{ progress: string }[]>`select progress from open_holds where progress is not null`;
      return rows.map(({ progress }) => progress);
    },
    async kill() {
      process.kill(gateway.pid, "SIGKILL");
      await gateway.end();
      await cluster.add({ folder: gateway.folder });
      return other;
    },
    async stop() {
      await sql.close();
      await cluster.stop();
    },
  };
}

const KILLED: [name: string, isPossible: boolean, start: (yaml: string) => Promise<KilledDeployment>][] = [
  ["one process", true, (yaml) => startEmbedded(yaml, 1)],
  ["two gateway processes", true, (yaml) => startEmbedded(yaml, 2)],
  ["PostgreSQL", hasPostgres, startOnPostgres],
];

describe.each(KILLED)("with %s", (_, isPossible, start) => {
  test.skipIf(!isPossible)("kill -9 while a fallback answers charges its progress by its price", async () => {
    const slow = manualStream();
    const flaky = new FlakyUpstream("mock", (asked) => {
      if (asked.body["model"] === "a") return rejectsWith(500)(asked);
      slow.write(`data: ${chunk({ content: "Hello, this is the fallback." })}\n\n`);
      return rawEvents(slow.stream);
    });
    const deployment = await start(configAt(flaky.port));
    try {
      const { key } = await deployment.gateway.makeKey();
      const asking = {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "a", stream: true, messages: [{ role: "user", content: "Hello?" }] }),
      };
      // On a machine that stalls, the gateway may not be able to verify credit at first.
      const reply = await eventually(
        () => fetch(`${deployment.gateway.baseUrl}/chat/completions`, asking),
        ({ status }) => status !== 503,
      );
      const requestId = reply.headers.get("x-request-id")!;
      await eventually(
        () => deployment.progress(),
        (all) => all.some((says) => (JSON.parse(says) as { servedBy?: { model: string } }).servedBy?.model === "b"),
      );
      const gateway = await deployment.kill();
      await reply.text().catch(() => undefined);
      const receipt = await eventually(
        () => gateway.platform<Receipt>("GET", `/api/receipts/${requestId}`),
        ({ state }) => state !== "open",
      );
      expect(receipt).toMatchObject({
        model: "b",
        requested_model: "a",
        state: "settled",
        reason: "the gateway ended in the middle of the answer",
      });
      const { prompt_tokens: prompt, completion_tokens: output } = receipt.usage!;
      expect(parseDollars(receipt.charged!)!).toBe(chargeOf("b", [prompt, output], 100n));
      expect(output).toBeGreaterThan(0);
      expect(await gateway.platform<AuditReport>("GET", "/api/audit")).toMatchObject({ discrepancy_count: 0 });
    } finally {
      await deployment.stop();
      await flaky.stop();
    }
  });
});
