import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Account, ChangePreview, MarginPage, PriceList, Receipt } from "../../platform-client/types.ts";
import { formatDollars, parseDollars } from "../../src/money/money.ts";
import type { AuditReport } from "../../src/platform/audit/auditor.ts";
import { eventually } from "../support/eventually.ts";
import { postUntilVerified } from "../support/gateway/post-until-verified.ts";
import { startCluster } from "../support/gateway/start-cluster.ts";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { hasPostgres } from "../support/postgres/find-postgres.ts";
import { completion, startMockUpstream, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { chatBody, postChat } from "./post-chat.ts";

/** Pico-dollars per token of input and output. Neither rate, nor a percentage of it, is a whole number of nano-dollars. */
type Rates = readonly [input: bigint, output: bigint];
const DEFAULT: Rates = [1_000_001n, 10_000_003n];
const COST: Rates = [700_007n, 6_000_001n];
const OWN: Rates = [900_001n, 7_000_003n];
const TOKENS = { prompt_tokens: 501, completion_tokens: 203, total_tokens: 704 };

const perMillion = ([input, output]: Rates): string =>
  `{ input_per_million: ${Number(input) / 1e6}, output_per_million: ${Number(output) / 1e6} }`;

function configAt(baseUrl: string): string {
  const route = (more = ""): string => `routes: [{ upstream: mock, model: x${more} }], price: ${perMillion(DEFAULT)}`;
  return `upstreams: [{ id: mock, dialect: openai, base_url: "${baseUrl}", allow_private: true, credential: upstream-credential }]
models:
  - { id: costed, ${route(`, cost: ${perMillion(COST)}`)} }
  - { id: uncosted, ${route()} }
  - { id: cached, ${route(`, cost: ${perMillion(COST)}`)}, cache: { ttl_seconds: 3600, price_percent: 30 } }
`;
}

/** The charge at these rates, with every rate and then the sum rounded up: the documented arithmetic, without the gateway's code. */
function chargeAt(rates: Rates, ...percents: readonly number[]): bigint {
  const scaled = rates.map((rate) => percents.reduce((picos, percent) => (picos * BigInt(percent) + 99n) / 100n, rate)) as unknown as Rates;
  const picos = BigInt(TOKENS.prompt_tokens) * scaled[0] + BigInt(TOKENS.completion_tokens) * scaled[1];
  return (picos + 999n) / 1000n;
}

const sumOf = (receipts: readonly Receipt[]): bigint => receipts.reduce((sum, { charged }) => sum + parseDollars(charged!)!, 0n);

interface Deployment {
  readonly gateways: readonly RunningGateway[];
  stop(): Promise<unknown>;
}

const DEPLOYMENTS: [name: string, isPossible: boolean, start: (yaml: string) => Promise<Deployment>][] = [
  ["SQLite", true, (yaml) => startOne({ yaml })],
  ["SQLite, with two gateway processes", true, (yaml) => startOne({ yaml, env: { TOLLGATE_PROCESSES: "2" } })],
  ["PostgreSQL, with two gateways", hasPostgres, (yaml) => startCluster(2, { yaml }, ["fsync=off"])],
];

async function startOne(options: Parameters<typeof startGateway>[0]): Promise<Deployment> {
  const gateway = await startGateway(options);
  return { gateways: [gateway], stop: () => gateway.stop() };
}

for (const [name, isPossible, start] of DEPLOYMENTS) {
  describe.skipIf(!isPossible)(`price lists, with ${name}`, () => {
    let upstream: MockUpstream;
    let deployment: Deployment;
    let first: RunningGateway;
    let last: RunningGateway;
    let sent = 0;
    const keys = new Map<string, string>();

    beforeAll(async () => {
      upstream = startMockUpstream({ x: () => Response.json(completion({}, { usage: TOKENS })) });
      deployment = await start(configAt(upstream.baseUrl));
      [first, last] = [deployment.gateways[0]!, deployment.gateways.at(-1)!];
      for (const id of ["acme", "globex"]) {
        await first.platform("POST", "/api/accounts", { id, name: id });
        await first.platform("POST", `/api/accounts/${id}/grants`, { amount: "100", reference: "r", reason: "test" });
        keys.set(id, (await first.platform<{ key: string }>("POST", "/api/keys", { name: id, account: id, models: ["*"] })).key);
      }
    });
    afterAll(async () => {
      await deployment?.stop();
      await upstream.stop();
    });

    /** Sends a request through each gateway in turn, and returns its receipt. */
    async function charge(account: string, model: string, content?: string): Promise<Receipt> {
      const gateway = deployment.gateways[sent++ % deployment.gateways.length]!;
      const messages = [{ role: "user", content: content ?? `question ${sent}` }];
      const body = chatBody(model, { messages, max_tokens: 300 });
      const { status, text, requestId } = await postUntilVerified(() => postChat(gateway, keys.get(account)!, body));
      expect([status, text]).toEqual([200, expect.stringContaining("Hello world") as string]);
      // The entries of a gateway process arrive in the ledger a moment later.
      const found = await eventually(
        () => last.platform<Receipt>("GET", `/api/receipts/${requestId}`).catch(() => undefined),
        (receipt) => receipt?.state === "settled",
      );
      return found!;
    }

    /** The version of the price that every gateway would charge. */
    async function shownPrices(account: string, model: string): Promise<string[]> {
      const headers = { authorization: `Bearer ${keys.get(account)}`, "content-type": "application/json", "x-dry-run": "1" };
      const asked = { method: "POST", headers, body: chatBody(model) };
      const replies = await Promise.all(deployment.gateways.map(({ baseUrl }) => fetch(`${baseUrl}/chat/completions`, asked)));
      return Promise.all(replies.map(async (reply) => ((await reply.json()) as { price_version: string }).price_version));
    }

    /**
     * The version that replaces this price, after every gateway has received the changes so far: a gateway that does not know a key catches
     * up. No gateway may charge the old price.
     */
    async function replacementOf(version: string): Promise<string> {
      const { key } = await first.platform<{ key: string }>("POST", "/api/keys", { name: "latest", account: "globex", models: ["*"] });
      const headers = { authorization: `Bearer ${key}` };
      for (const { baseUrl } of deployment.gateways) expect((await fetch(`${baseUrl}/models`, { headers })).status).toBe(200);
      const versions = await shownPrices("acme", "costed");
      expect(versions, "the price that acme is charged").not.toContain(version);
      return versions[0]!;
    }

    const marginBy = async (by: string, filter = ""): Promise<MarginPage> =>
      last.platform<MarginPage>("GET", `/api/margin?by=${by}${filter}`);

    /** Compares the ledger, the auditor and the margin report for all requests so far. */
    async function expectAgreement(receipts: readonly Receipt[]): Promise<void> {
      const { discrepancies, checked } = await last.platform<AuditReport>("GET", "/api/audit");
      expect([discrepancies, checked.requests]).toEqual([[], receipts.length]);
      const known = receipts.filter(({ upstream_cost: cost }) => cost !== null);
      const costs = known.reduce((sum, { upstream_cost: cost }) => sum + parseDollars(cost!)!, 0n);
      const { total } = await eventually(
        () => marginBy("account,model"),
        ({ total: { requests } }) => requests === receipts.length,
      );
      expect(total).toMatchObject({
        charged: formatDollars(sumOf(receipts)),
        unknown_requests: receipts.length - known.length,
        sold: formatDollars(sumOf(known)),
        upstream_cost: formatDollars(costs),
        margin: formatDollars(sumOf(known) - costs),
      });
      for (const id of ["acme", "globex"]) {
        const expected = formatDollars(sumOf(receipts.filter(({ account }) => account === id)));
        await eventually(
          async () => (await last.platform<Account>("GET", `/api/accounts/${id}`)).spent.total,
          (spent) => spent === expected,
        );
      }
    }

    test("a previewed and then applied price list: receipts, ledger, auditor and margin agree", async () => {
      const models = ["costed", "uncosted"];
      const receipts: Receipt[] = [];
      const before: Receipt[] = [];
      for (const model of models) before.push(await charge("acme", model));
      receipts.push(...before, await charge("globex", "costed"));
      expect(receipts.map(({ charged }) => charged)).toEqual(Array<string>(3).fill(formatDollars(chargeAt(DEFAULT))));
      expect(receipts.map(({ price, upstream_cost: cost }) => [price!.price_list, cost])).toEqual([
        [null, formatDollars(chargeAt(COST))],
        [null, null],
        [null, formatDollars(chargeAt(COST))],
      ]);

      const list = { id: "partners", name: "Partners", percent: 77, models: { uncosted: { price: parse(OWN) } } };
      await first.platform("POST", "/api/price-lists", list);
      const change = { price_list: "partners" };
      const preview = await first.platform<ChangePreview>("PATCH", "/api/accounts/acme?preview=true", change);
      const expected = chargeAt(DEFAULT, 77) + chargeAt(OWN);
      expect([preview.requests, preview.money.charged, preview.money.would_be_charged]).toEqual([
        2,
        formatDollars(sumOf(before)),
        formatDollars(expected),
      ]);
      expect((await last.platform<Account>("GET", "/api/accounts/acme")).price_list).toBeNull();

      await first.platform("PATCH", "/api/accounts/acme", change);
      const versionShown = await replacementOf(before[0]!.price!.version);
      const after: Receipt[] = [];
      for (const model of models) after.push(await charge("acme", model));
      receipts.push(...after, await charge("globex", "costed"));
      expect(sumOf(after)).toBe(expected);
      expect(after.map(({ price }) => price!.price_list)).toEqual(["partners", "partners"]);
      expect(after[0]!.price!.version).toBe(versionShown);
      expect(receipts.at(-1)!.price).toEqual(before[0]!.price);
      await expectAgreement(receipts);

      // A cached response costs a percentage of the account's own price, and has no upstream cost.
      receipts.push(await charge("acme", "cached", "the same"));
      const cached = await cachedReceipt(receipts);
      expect([cached.charged, cached.upstream_cost, cached.price!.price_list]).toEqual([
        formatDollars(chargeAt(DEFAULT, 77, 30)),
        "0.00",
        "partners",
      ]);

      const cheaper = await first.platform<ChangePreview>("PATCH", "/api/price-lists/partners?preview=true", { percent: 50 });
      // For models whose price does not change, requests keep their charges.
      const unchanged = receipts.filter(({ account, model }) => account === "acme" && model === "uncosted");
      const hits = BigInt(receipts.filter(({ attempts }) => attempts === 0).length);
      const calls = BigInt(receipts.filter(({ account }) => account === "acme").length - unchanged.length) - hits;
      expect(parseDollars(cheaper.money.would_be_charged)!).toBe(
        sumOf(unchanged) + calls * chargeAt(DEFAULT, 50) + hits * chargeAt(DEFAULT, 50, 30),
      );
      await first.platform("PATCH", "/api/price-lists/partners", { percent: 50 });
      await replacementOf(versionShown);
      receipts.push(await charge("acme", "costed"));
      expect(receipts.at(-1)!.charged).toBe(formatDollars(chargeAt(DEFAULT, 50)));
      expect(await last.platform<Receipt>("GET", `/api/receipts/${after[0]!.request_id}`)).toEqual(after[0]!);
      await expectAgreement(receipts);
    });

    /** Repeats a request until a response cache has its response: each gateway has a separate cache. */
    async function cachedReceipt(receipts: Receipt[]): Promise<Receipt> {
      for (let tries = 0; tries < 50; tries++) {
        const receipt = await charge("acme", "cached", "the same");
        receipts.push(receipt);
        if (receipt.attempts === 0) return receipt;
      }
      throw new Error("no response came from a response cache");
    }

    test("a price list that an account has cannot be removed, and one without accounts can", async () => {
      const refusal = await first.platform("DELETE", "/api/price-lists/partners").catch((error: unknown) => String(error));
      expect(refusal).toContain("still_in_use");
      await first.platform("POST", "/api/price-lists", { id: "unused", name: "Unused", percent: 10 });
      await first.platform("DELETE", "/api/price-lists/unused");
      const { data } = await first.platform<{ data: PriceList[] }>("GET", "/api/price-lists");
      expect(data.map(({ id, accounts }) => [id, accounts])).toEqual([["partners", 1]]);
      const unknown = await first
        .platform("PATCH", "/api/accounts/acme", { price_list: "unused" })
        .catch((error: unknown) => String(error));
      expect(unknown).toContain("there is no such price list");
    });
  });
}

function parse([input, output]: Rates): object {
  return { input_per_million: Number(input) / 1e6, output_per_million: Number(output) / 1e6 };
}
