/**
 * Measures the Requests page of the console while one scrolls through many requests: in a real browser, the times between animation frames.
 *
 *     npm run measure:requests -- 100000
 */
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { seedStores } from "../test/console/seed-stores.ts";
import { openBrowser, visitAs } from "../test/console/open-console.ts";
import { startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";

const REQUESTS = Number(process.argv[2] ?? 100_000);
const DAYS = 10;
const MODELS = Array.from({ length: 20 }, (_, at) => `model-${at}`);
/** Pixels per frame: none, reading, a fast wheel, and dragging the scroll bar. */
const SPEEDS = [0, 20, 120, 2000];
const FRAMES = 300;
const SORTS = ["cost", "duration", "tokens"];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

async function makePast(): Promise<RunningGateway> {
  const before = await startGateway({});
  await before.platform("POST", "/api/accounts", { id: "acme", name: "acme" });
  const { id } = await before.platform<{ id: string }>("POST", "/api/keys", { name: "key", account: "acme", models: ["*"] });
  await before.end();
  const keys = [{ id, account: "acme" }];
  await seedStores({ dataFolder: join(before.folder, "data"), requests: REQUESTS, days: DAYS, endMs: Date.now(), keys, models: MODELS });
  return startGateway({ folder: before.folder });
}

interface Browser {
  readonly document: {
    readonly documentElement: { readonly scrollHeight: number };
    querySelectorAll(selector: string): ArrayLike<unknown>;
  };
  readonly scrollY: number;
  readonly innerHeight: number;
  readonly scrollTo: (x: number, y: number) => void;
  readonly scrollBy: (x: number, y: number) => void;
  readonly requestAnimationFrame: (run: (atMs: number) => void) => void;
}

/** Scrolls to the end again and again, until all rows are loaded. */
async function loadAll(page: Page): Promise<number> {
  const begun = performance.now();
  await page.waitForFunction(
    (rows) => {
      const { document, scrollTo } = globalThis as unknown as Browser;
      scrollTo(0, document.documentElement.scrollHeight);
      return document.documentElement.scrollHeight > rows * 34;
    },
    REQUESTS,
    { polling: "raf", timeout: 600_000 },
  );
  return performance.now() - begun;
}

/** The times between frames while the page scrolls by this many pixels per frame. It turns back at the end. */
function frameTimes(page: Page, pixels: number): Promise<number[]> {
  return page.evaluate(
    ({ pixels: step, frames }) =>
      new Promise<number[]>((resolve) => {
        const { document, requestAnimationFrame, scrollBy } = globalThis as unknown as Browser;
        const times: number[] = [];
        let [last, direction] = [0, 1];
        const onFrame = (atMs: number): void => {
          if (last > 0) times.push(atMs - last);
          last = atMs;
          const { scrollY, innerHeight } = globalThis as unknown as Browser;
          if (scrollY + innerHeight + step > document.documentElement.scrollHeight) direction = -1;
          else if (scrollY < step) direction = 1;
          scrollBy(0, step * direction);
          if (times.length < frames) requestAnimationFrame(onFrame);
          else resolve(times);
        };
        requestAnimationFrame(onFrame);
      }),
    { pixels, frames: FRAMES },
  );
}

interface PageCpu {
  readonly allMs: number;
  /** The time without painting, which a GPU does for a browser that has one. */
  readonly ownMs: number;
}

/** The CPU time of the page's thread. */
async function pageCpu(session: CDPSession): Promise<PageCpu> {
  const { metrics } = await session.send("Performance.getMetrics");
  const msOf = (metric: string): number => 1000 * metrics.find(({ name }) => name === metric)!.value;
  return { allMs: msOf("TaskDuration"), ownMs: msOf("ScriptDuration") + msOf("RecalcStyleDuration") + msOf("LayoutDuration") };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const browser = await openBrowser({ optimizes: true });
if (!browser) throw new Error("There is no browser to measure with.");
const gateway = await makePast();
try {
  const { page } = await visitAs(browser, gateway, null);
  say(`${REQUESTS.toLocaleString("en")} requests of ${DAYS} days`);
  const shown = (): Promise<void> => page.locator("[data-row]").first().waitFor();
  say(`first rows after ${(await timed(async () => (await page.goto("/requests"), await shown()))).toFixed(0)} ms`);
  say(`all rows loaded by scrolling to the end in ${((await loadAll(page)) / 1000).toFixed(1)} s`);
  const session = await page.context().newCDPSession(page);
  // CPU time in addition to wall-clock time, to recognize other load on the machine.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const rendered = await page.locator("[data-row]").count();
  say(`${(usedSize / 1024 ** 2).toFixed(0)} MiB of JavaScript heap, ${rendered} rows in the document`);
  for (const pixels of SPEEDS) {
    await page.evaluate(() => (globalThis as unknown as Browser).scrollTo(0, 0));
    const before = await pageCpu(session);
    const times = (await frameTimes(page, pixels)).toSorted((a, b) => a - b);
    const after = await pageCpu(session);
    const [all, own] = [(after.allMs - before.allMs) / FRAMES, (after.ownMs - before.ownMs) / FRAMES].map((ms) => ms.toFixed(1));
    const [p50, p95, max] = [percentile(times, 0.5), percentile(times, 0.95), times.at(-1)!].map((ms) => ms.toFixed(1));
    say(
      `${String(pixels).padStart(5)} px per frame: p50 ${p50} ms, p95 ${p95} ms, max ${max} ms; CPU of the page ${all} ms per frame, ${own} ms of it scripts, styles and layout`,
    );
  }
  for (const sort of SORTS) {
    const ms = await timed(() => gateway.platform("GET", `/api/requests?sort=${sort}&limit=100`));
    say(`first page by ${sort}: ${ms.toFixed(0)} ms`);
  }
  for (const filter of ["", "status=4xx", "min_cost=0.001"]) {
    const ms = await timed(() => gateway.platform("GET", `/api/requests/count?${filter}`));
    say(`count of ${filter || "all"}: ${ms.toFixed(0)} ms`);
  }
} finally {
  await browser.close();
  await gateway.stop();
}
