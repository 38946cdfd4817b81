/**
 * Measures the Overview page of the console with a million requests of thirty days in the ledger and the request log: in a real browser,
 * from the navigation until all figures and charts are shown.
 *
 *     npm run measure:overview -- 1000000
 */
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { seedStores } from "../test/console/seed-stores.ts";
import { openBrowser, visitAs } from "../test/console/open-console.ts";
import { startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";
import { processCpuUs } from "./machine/cpu-clock.ts";

const REQUESTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = 30;
const ACCOUNTS = 50;
const KEYS = 4;
const MODELS = Array.from({ length: 20 }, (_, at) => `model-${at}`);
const ROUNDS = 3;
const CHARTS = 5;
const BREAKDOWNS = ["key", "account", "upstream", "model"];
const RANGES = ["24 hours", "7 days", "30 days", "90 days"];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

async function makePast(): Promise<RunningGateway> {
  const env = { TOLLGATE_REQUEST_LOG_DAYS: String(DAYS + 30) };
  const before = await startGateway({ env });
  const keys: { id: string; account: string }[] = [];
  for (let at = 0; at < ACCOUNTS; at++) {
    const account = `account-${at}`;
    await before.platform("POST", "/api/accounts", { id: account, name: account });
    for (let key = 0; key < KEYS; key++) {
      const { id } = await before.platform<{ id: string }>("POST", "/api/keys", { name: `key ${key}`, account, models: ["*"] });
      keys.push({ id, account });
    }
  }
  await before.end();
  await seedStores({ dataFolder: join(before.folder, "data"), requests: REQUESTS, days: DAYS, endMs: Date.now(), keys, models: MODELS });
  return startGateway({ folder: before.folder, env });
}

/** Resolves when the usage of the ledger is computed. */
async function addedUp(gateway: RunningGateway): Promise<void> {
  try {
    await gateway.platform("GET", "/api/usage?by=key&limit=1");
  } catch {
    await Bun.sleep(500);
    await addedUp(gateway);
  }
}

interface Browser {
  readonly document: { querySelectorAll(selector: string): ArrayLike<unknown> };
}

/** Resolves when no call is in flight and all charts show the selected range. A function, because the page evaluates no text (CSP). */
async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(
    (charts) => {
      const { document } = globalThis as unknown as Browser;
      const waiting = document.querySelectorAll("main .skeleton, main .opacity-60").length;
      return document.querySelectorAll("main [role=application]").length === charts && waiting === 0;
    },
    CHARTS,
    { polling: "raf" },
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

interface Meter {
  readonly gateway: RunningGateway;
  readonly session: CDPSession;
}

interface Recording {
  readonly ms: number;
  readonly gatewayCpuMs: number;
  readonly pageCpuMs: number;
}

async function take({ gateway, session }: Meter, work: () => Promise<unknown>): Promise<Recording> {
  const [cpu, page] = [processCpuUs(gateway.pid)!, await pageSeconds(session)];
  const ms = await timed(work);
  const after = await pageSeconds(session);
  return { ms, gatewayCpuMs: (processCpuUs(gateway.pid)! - cpu) / 1000, pageCpuMs: 1000 * (after < page ? after : after - page) };
}

/** The CPU time of the page's thread. Some navigations reset it. */
async function pageSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration")!.value;
}

function reportProgress(name: string, rounds: readonly Recording[]): void {
  const of = (pick: (taken: Recording) => number): string => median(rounds.map(pick)).toFixed(0).padStart(5);
  say(
    `${name.padEnd(40)} ${of(({ ms }) => ms)} ms; CPU: gateway ${of((taken) => taken.gatewayCpuMs)} ms, page ${of((taken) => taken.pageCpuMs)} ms`,
  );
}

async function calls(page: Page): Promise<Map<string, number>> {
  const entries = await page.evaluate(() =>
    performance.getEntriesByType("resource").map((entry) => ({
      name: entry.name,
      ms: (entry as PerformanceResourceTiming).responseEnd - (entry as PerformanceResourceTiming).requestStart,
    })),
  );
  return new Map(entries.filter(({ name }) => name.includes("/api/")).map(({ name, ms }) => [nameOf(new URL(name)), ms]));
}

function nameOf({ pathname, searchParams }: URL): string {
  const by = searchParams.get("by") ?? searchParams.get("order");
  return by === null ? pathname : `${pathname}, by ${by}`;
}

/** The longest time in which the gateway did not answer a minimal request. */
async function longestStop(gateway: RunningGateway, during: () => Promise<unknown>): Promise<number> {
  const over = new AbortController();
  const watching = (async () => {
    let longest = 0;
    while (!over.signal.aborted) longest = Math.max(longest, await timed(() => fetch(`${new URL(gateway.baseUrl).origin}/healthz`)));
    return longest;
  })();
  await during();
  over.abort();
  return watching;
}

const browser = await openBrowser();
if (!browser) throw new Error("There is no browser to measure with.");
const gateway = await makePast();
try {
  say(`${REQUESTS.toLocaleString("en")} requests of ${DAYS} days, ${ACCOUNTS} accounts, ${ACCOUNTS * KEYS} keys, ${MODELS.length} models`);
  say(`a ledger that knows no sums yet: ${((await timed(() => addedUp(gateway))) / 1000).toFixed(0)} s until it has added them up`);
  const { page } = await visitAs(browser, gateway, null);
  const session = await page.context().newCDPSession(page);
  // CPU time, not wall-clock time, so that other load does not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const meter = { gateway, session };
  for (const isCold of [true, false]) {
    const rounds: Recording[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (isCold) await session.send("Network.clearBrowserCache");
      rounds.push(await take(meter, async () => (await page.goto(`${gateway.platformUrl}/?range=30d`), await drawn(page))));
    }
    reportProgress(isCold ? "first visit" : "with its files in the browser's cache", rounds);
  }
  say("its calls, side by side");
  for (const [name, ms] of await calls(page)) say(`  ${name.padEnd(44)} ${ms.toFixed(0).padStart(5)} ms`);
  for (const range of RANGES) reportProgress(`to ${range}`, [await take(meter, () => change(page, range))]);
  await change(page, "30 days");
  for (const by of BREAKDOWNS) reportProgress(`30 days, stacked by ${by}`, [await take(meter, () => stack(page, by))]);
  for (const by of [...BREAKDOWNS.map((each) => `day,${each}&top=10`), "hour_of_week"]) {
    const ask = (): Promise<unknown> => gateway.platform("GET", `/api/usage?zone=Europe/Berlin&by=${by}`);
    const rounds: Recording[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await take(meter, ask));
    reportProgress(`the API alone, by=${by}`, rounds);
  }
  // Selects another range first: a click on the current range sends no request.
  await change(page, "7 days");
  const stopMs = await longestStop(gateway, () => change(page, "30 days"));
  say(`longest wait of another caller meanwhile: ${stopMs.toFixed(0)} ms`);
} finally {
  await browser.close();
  await gateway.stop();
}

async function change(page: Page, range: string): Promise<void> {
  await page.getByRole("link", { name: range }).click();
  const value = range.replace(/^(\d+) (\w).*/, "$1$2");
  await page.waitForURL(({ searchParams }) => searchParams.get("range") === value);
  await drawn(page);
}

async function stack(page: Page, by: string): Promise<void> {
  await page.getByLabel("Stacked by").selectOption(by);
  await page.waitForURL(({ searchParams }) => searchParams.get("by") === by);
  await drawn(page);
}
