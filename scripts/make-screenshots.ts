/**
 * Takes the screenshots of the console for the documents, on a gateway with a month of generated traffic. Review them before they
 * are committed.
 *
 *     npm run screenshots
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openBrowser, visitAs } from "../test/console/open-console.ts";
import { ROOT, startGateway, type RunningGateway } from "../test/support/gateway/start-gateway.ts";
import { startDemo, type Demo } from "./demo/start-demo.ts";
import { shrinkPng } from "./shrink-png.ts";

const FOLDER = join(ROOT, "docs/images");
const LOOK = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5, reducedMotion: "reduce", timezoneId: "UTC" } as const;

interface Picture {
  readonly name: string;
  readonly at: string;
  /** Prepares the page for the screenshot. */
  readonly pose?: (page: Page) => Promise<void>;
}

const FIRST_STEPS: Picture = { name: "start", at: "/start" };

function picturesOf({ requestId, keyIds }: Demo): Picture[] {
  const two = new URLSearchParams({ model: "claude-sonnet-4", beside: "gpt-4.1", key: keyIds.get("literature agent")! });
  return [
    { name: "overview", at: "/?range=30d" },
    { name: "requests", at: "/requests" },
    { name: "request", at: `/requests/${requestId}` },
    { name: "models", at: "/models" },
    { name: "model", at: "/models/gpt-4o?tab=keys" },
    { name: "keys", at: "/keys" },
    { name: "playground", at: `/playground?${two.toString()}`, pose: ask },
  ];
}

async function ask(page: Page): Promise<void> {
  await page.getByLabel("Your message").fill("What does a toll gate do?");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("complete", { exact: true }).nth(1).waitFor();
  await page.getByText("Cost", { exact: true }).nth(1).waitFor();
  await page.getByRole("link", { name: "View request" }).first().scrollIntoViewIfNeeded();
}

async function take(page: Page, { name, at, pose }: Picture, theme: string): Promise<void> {
  await page.goto(at);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator(".skeleton:visible, .opacity-60").first().waitFor({ state: "detached" });
  await pose?.(page);
  await page.mouse.move(0, 0);
  await Bun.write(join(FOLDER, `${name}-${theme}.png`), shrinkPng(await page.screenshot({ animations: "disabled" })));
}

async function takeAll(gateway: RunningGateway, pictures: readonly Picture[]): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    const { page } = await visitAs(browser!, gateway, null, { ...LOOK, colorScheme: theme });
    for (const picture of pictures) await take(page, picture, theme);
    await page.context().close();
  }
}

const browser = await openBrowser();
if (!browser) throw new Error("There is no browser to take screenshots with.");
mkdirSync(FOLDER, { recursive: true });
const [demo, empty] = [await startDemo(), await startGateway()];
try {
  await takeAll(demo.gateway, picturesOf(demo));
  await takeAll(empty, [FIRST_STEPS]);
} finally {
  await browser.close();
  await demo.stop();
  await empty.stop();
}
