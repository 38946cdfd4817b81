import { describe, expect, test } from "bun:test";
import type { Account } from "../../platform-client/types.ts";
import { eventually } from "../support/eventually.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import { gatewayPids } from "../support/gateway/gateway-processes.ts";
import { startGateway, type RunningGateway, type StartOptions } from "../support/gateway/start-gateway.ts";
import { isLong } from "../support/long.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, startMockUpstream, type RecordedRequest } from "../support/upstreams/mock-upstream.ts";
import { postFresh } from "../processes/post-fresh.ts";
import { chatBody, type Reply } from "./post-chat.ts";

const USERS = isLong ? 20 : 8;
const REQUESTS = 10 * USERS;
const MAX_TOKENS = 100;
/** The number of requests at $0.02 that a cap of $0.10 allows. */
const AFFORDABLE = 5;

function answer({ body }: RecordedRequest): Response {
  served.push(String(body["user"]));
  return Response.json(completion({}, { usage: { prompt_tokens: 10, completion_tokens: MAX_TOKENS, total_tokens: 10 + MAX_TOKENS } }));
}

/** The end users of the requests that an upstream has served. */
let served: string[] = [];

const yamlFor = (baseUrl: string): string => `upstreams:
  - { id: mock, dialect: openai, base_url: "${baseUrl}", allow_private: true, credential: upstream-credential-canary }
models:
  - { id: m, owned_by: test, routes: [{ upstream: mock, model: up-m }], price: { input_per_million: 0, output_per_million: 200 } }
`;

interface Deployment {
  readonly gateways: readonly RunningGateway[];
  /** Kills all processes with SIGKILL, and starts them again. */
  restart(): Promise<Deployment>;
  stop(): Promise<void>;
}

async function alone(options: StartOptions): Promise<Deployment> {
  const gateway = await startGateway(options);
  return {
    gateways: [gateway],
    async restart() {
      for (const pid of [gateway.pid, ...(await gatewayPids(gateway))]) process.kill(pid, "SIGKILL");
      await gateway.end();
      return alone({ ...options, folder: gateway.folder });
    },
    stop: () => gateway.stop(),
  };
}

async function inCluster(options: StartOptions): Promise<Deployment> {
  const cluster = await startCluster(2, options, ["fsync=off"]);
  return {
    gateways: cluster.gateways,
    async restart() {
      const [first, second] = cluster.gateways as [RunningGateway, RunningGateway];
      process.kill(first.pid, "SIGKILL");
      await first.end();
      const again = await cluster.add({ folder: first.folder });
      return { gateways: [second, again], restart: () => Promise.reject(new Error("once")), stop: () => cluster.stop() };
    },
    stop: () => cluster.stop(),
  };
}

const DEPLOYMENTS: readonly (readonly [name: string, start: (options: StartOptions) => Promise<Deployment>])[] = [
  ["one process", alone],
  ["two gateway processes", (options) => alone({ ...options, env: { TOLLGATE_PROCESSES: "2" } })],
  ...(hasPostgres ? [["two gateways on PostgreSQL", inCluster] as const] : []),
];
function bodyOf(user: string | undefined): string {
  return chatBody("m", { max_tokens: MAX_TOKENS, ...(user !== undefined && { user }) });
}

/**
 * Retries while other requests hold the rest of a cap, as clients do. The pauses are long enough that hundreds of clients leave CPU time
 * for the gateway.
 */
async function ask(gateway: RunningGateway, key: string, user: string | undefined, headers: Record<string, string> = {}): Promise<Reply> {
  for (;;) {
    const reply = await postFresh(gateway, key, bodyOf(user), headers);
    if (reply.code !== "credits_in_flight") return reply;
    expect(Number(reply.headers.get("retry-after"))).toBeWithin(1, 60);
    await Bun.sleep(250);
  }
}

/** A charge of one process counts for the others after the ledger has it. */
async function untilSpent(gateway: RunningGateway, dollars: number): Promise<void> {
  await eventually(
    async () => (await gateway.platform<Account>("GET", "/api/accounts/default")).spent.total,
    (spent) => Number(spent) === dollars,
  );
}

describe.each(DEPLOYMENTS)("with %s", (_, start) => {
  test(`a daily spend cap of $0.10 per end user holds under ${REQUESTS} parallel requests of ${USERS} users, and over a kill`, async () => {
    served = [];
    const upstream = startMockUpstream({ "up-m": answer });
    let deployment = await start({ yaml: yamlFor(upstream.baseUrl) });
    try {
      const { key } = await deployment.gateways[0]!.makeKey(["*"], { caps: { per_user: { day: "0.10" } } });
      const at = (index: number): RunningGateway => deployment.gateways[index % deployment.gateways.length]!;
      const asked = Array.from({ length: REQUESTS }, (__, index) => ask(at(index), key, `user-${Math.floor(index / 2) % USERS}`));
      const replies = await Promise.all(asked);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(USERS * AFFORDABLE);
      expect(served.toSorted()).toEqual(
        Array.from({ length: USERS }, (__, user) => Array.from({ length: AFFORDABLE }, () => `user-${user}`))
          .flat()
          .toSorted(),
      );
      const refused = replies.filter(({ status }) => status !== 200);
      for (const { status, code, text } of refused) {
        expect({ status, code }).toEqual({ status: 402, code: "budget_exceeded" });
        expect(text).toContain("the daily spend cap of this end user on this key has $0.00 left");
        expect(text).not.toMatch(/user-\d/);
      }
      // Requests without a user count as one user.
      const anonymous = await Promise.all(Array.from({ length: AFFORDABLE + 1 }, (__, index) => ask(at(index), key, undefined)));
      expect(anonymous.filter(({ status }) => status === 200)).toHaveLength(AFFORDABLE);
      const last = anonymous.find(({ status }) => status !== 200)!;
      expect(last.text).toContain("the daily spend cap of requests without an end user on this key has $0.00 left");

      deployment = await deployment.restart();
      expect((await ask(at(0), key, "user-3")).code).toBe("budget_exceeded");
      expect((await ask(at(1), key, undefined)).code).toBe("budget_exceeded");
      expect((await ask(at(1), key, "somebody-new")).status).toBe(200);
    } finally {
      await deployment.stop();
      await upstream.stop();
    }
  });

  test("a cap that is set later counts what was spent, and settings change while requests are in flight", async () => {
    served = [];
    const upstream = startMockUpstream({ "up-m": answer });
    const deployment = await start({ yaml: yamlFor(upstream.baseUrl) });
    try {
      const [first, last] = [deployment.gateways[0]!, deployment.gateways.at(-1)!];
      const [one, other] = [(await first.makeKey()).key, (await first.makeKey()).key];
      const search = { "x-tollgate-tags": "team=search" };
      for (const key of [one, other])
        for (const gateway of [first, last]) expect((await ask(gateway, key, "ada", search)).status).toBe(200);
      // Gateways on other machines receive a change within a second.
      const set = async (changes: object): Promise<void> => {
        const { caps } = await first.platform<Account>("PATCH", "/api/accounts/default", { caps: changes });
        await eventually(
          async () => (await last.platform<Account>("GET", "/api/accounts/default")).caps,
          (known) => Bun.deepEquals(known, caps),
        );
      };
      await untilSpent(first, 0.08);
      await set({ per_tag: { team: { month: "0.10" } } });
      expect((await ask(last, one, "ada", search)).status).toBe(200);
      const { code, text } = await ask(first, other, "bob", search);
      expect({ code, text }).toMatchObject({ code: "budget_exceeded" });
      expect(text).toContain("the monthly spend cap of the tag team=search on this account has $0.00 left");
      expect((await ask(last, other, "bob", { "x-tollgate-tags": "team=ads" })).status).toBe(200);
      expect((await ask(first, other, "bob")).status).toBe(200);

      await untilSpent(first, 0.14);
      await set({ per_user: { day: "0.14" }, per_tag: null });
      // Ada has spent $0.10, Bob $0.04.
      const inFlight = Array.from({ length: 10 }, (__, index) => ask([first, last][index % 2]!, one, ["ada", "bob"][index % 2]));
      await set({ per_user: { month: "9" } });
      const admitted = (await Promise.all(inFlight)).filter(({ status }) => status === 200);
      expect(admitted).toHaveLength(2 + 5);
      await set({ per_user: null });
      expect((await ask(last, one, "ada")).status).toBe(200);
      // The charge also counts, as soon as the ledger has it.
      await untilSpent(first, 0.3);
      await set({ per_user: { day: "0.16" } });
      expect((await ask(first, other, "ada")).code).toBe("budget_exceeded");
      expect((await ask(last, other, "bob")).status).toBe(200);
    } finally {
      await deployment.stop();
      await upstream.stop();
    }
  });
});
