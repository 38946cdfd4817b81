import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ledgerOf } from "../money/ledger-of.ts";
import { startMockUpstream, TEST_PRICE, type MockUpstream } from "../support/upstreams/mock-upstream.ts";
import { CANCELS, startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { CANARY, makeCallers, type Caller } from "./callers.ts";
import { MANNERS, MODELS, SCRIPTS, type Manner } from "./call-scenarios.ts";
import { Scrape } from "./scrape.ts";
import { eventually } from "../support/eventually.ts";
import { isLong } from "../support/long.ts";

const CALLERS = isLong ? 10_000 : 1000;
const LANES = 32;
/** The number of calls per scenario, so that outcomes that need several failures also occur. */
const WARM_UP = 40;

let upstream: MockUpstream;
let gateway: RunningGateway;
let callers: Caller[];
let warm: Scrape;
let after: Scrape;

const manners = Object.values(MANNERS);
/** The scenarios of the clients, in turn. */
const mannerOf = (at: number): Manner => manners[at % manners.length]!;

beforeAll(async () => {
  upstream = startMockUpstream(SCRIPTS);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-many-callers-"));
  const setups = Array.from({ length: CALLERS }, (_, at) => ({
    hasCredit: !mannerOf(at).isPoor,
    isRateLimited: mannerOf(at).isRateLimited ?? false,
  }));
  callers = await makeCallers(join(folder, "data"), setups);
  gateway = await startGateway({ folder, yaml: config(upstream.baseUrl), env: CANCELS });
  const few = WARM_UP * manners.length;
  await callAll(0, few);
  warm = await scrapeWhenAllHaveEnded(few);
  await callAll(few, CALLERS);
  after = await scrapeWhenAllHaveEnded(CALLERS);
}, 300_000);

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

function config(baseUrl: string): string {
  const models = MODELS.map((id) => {
    const cache = id === "cached" ? ", cache: { ttl_seconds: 600, price_percent: 10 }" : "";
    return `  - { id: ${id}, routes: [{ upstream: mock, model: up-${id} }], price: ${TEST_PRICE}${cache} }`;
  });
  return `upstreams:
  - { id: mock, dialect: openai, base_url: "${baseUrl}", allow_private: true, credential: upstream-credential-${CANARY} }
models:
${models.join("\n")}
`;
}

async function callAll(from: number, to: number): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < to; at = next++) await mannerOf(at).run(callers[at]!, gateway);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** The expected counts of the first `count` clients. */
function expected(count: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at < count; at++) for (const what of mannerOf(at).counts) counts.set(what, (counts.get(what) ?? 0) + 1);
  return counts;
}

/** A request whose client disconnected ends a moment later. */
async function scrapeWhenAllHaveEnded(count: number): Promise<Scrape> {
  const requests = [...expected(count).values()].reduce((sum, each) => sum + each, 0);
  return eventually(
    () => Scrape.of(gateway),
    (scrape) => scrape.sum("tollgate_requests_total") >= requests,
  );
}

test(`${CALLERS} callers create no new series`, () => {
  expect(after.series).toEqual(warm.series);
  expect(warm.series.length).toBeGreaterThan(300);
});

test("no text of a caller or an upstream, and no key or account, is exported", () => {
  expect(after.text).not.toContain(CANARY);
  const words = new Set(after.text.match(/[0-9A-Za-z]+/g));
  expect(callers.filter(({ keyId }) => words.has(keyId))).toEqual([]);
});

test("every request is counted once, with its outcome", () => {
  const requests = after.values("tollgate_requests_total");
  const failing = MODELS.filter((model) => expected(CALLERS).has(model));
  const exact = [...requests].filter(([labels]) => !failing.includes(labels.split(" ")[0]!));
  const byModel = failing.map((model) => {
    const counts = [...requests].filter(([labels]) => labels.startsWith(`${model} `));
    return [model, counts.reduce((sum, [, count]) => sum + count, 0)] as const;
  });
  expect(new Map([...exact, ...byModel])).toEqual(expected(CALLERS));
  expect(after.values("tollgate_limit_hits_total").get("key requests")).toBe(requests.get("answer chat_completions 429 refused false"));
  const lookups = after.values("tollgate_cache_lookups_total");
  expect(lookups.get("cached hit")).toBe(lookups.get("cached miss"));
});

test("tokens and charges equal the ledger exactly", () => {
  const settled = ledgerOf(gateway).filter(({ kind }) => kind === "settle");
  const money = new Map<string, bigint>();
  const tokens = new Map<string, number>();
  const add = (labels: string, count: bigint | null): void => void tokens.set(labels, (tokens.get(labels) ?? 0) + Number(count));
  for (const row of settled) {
    const of = (kind: string): string => `${row.model} ${kind} ${row.provenance}`;
    money.set(row.model!, (money.get(row.model!) ?? 0n) + row.amount_nanos);
    add(of("input"), row.prompt_tokens! - row.cached_tokens!);
    add(of("cached_input"), row.cached_tokens);
    add(of("cache_write"), 0n);
    add(of("output"), row.completion_tokens! - row.reasoning_tokens!);
    add(of("reasoning"), row.reasoning_tokens);
  }
  expect(new Set([...tokens.keys()].map((labels) => labels.split(" ")[2]!))).toEqual(new Set(["measured", "estimated"]));
  expect(after.values("tollgate_tokens_total")).toEqual(tokens);
  const dollars = new Map([...money].map(([model, nanos]) => [model, Number(nanos) / 1e9]));
  expect(after.values("tollgate_charged_dollars_total")).toEqual(dollars);
});

const promtool = Bun.which("promtool");

test.skipIf(promtool === null)("promtool, where it is installed, has nothing to say against it", async () => {
  const checking = Bun.spawn([promtool!, "check", "metrics"], { stdin: new Blob([after.text]), stdout: "pipe", stderr: "pipe" });
  const said = await Promise.all([checking.stdout.text(), checking.stderr.text()]);
  expect(said).toEqual(["", ""]);
  expect(await checking.exited).toBe(0);
});
