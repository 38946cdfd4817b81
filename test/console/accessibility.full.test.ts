import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { startGateway, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { axeViolations } from "./axe-violations.ts";
import { DIALOGS } from "./dialogs.ts";
import { EVERY_PAGE } from "./every-page.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";
import { navigate, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";
import { eventually } from "../support/eventually.ts";

const browser = await openBrowser();
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 800 };

let seeded: SeededGateway;

/** Opens a page and waits until it has loaded. */
async function open(page: Page, path: string, heading = /./): Promise<void> {
  // Loading the console and axe again would take most of the time.
  if (isInConsole(page, path) && !(await hasOverlay(page))) await navigate(page, path);
  else await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.locator(".skeleton:visible").first().waitFor({ state: "detached" });
}

/** Whether another page of the console is open. */
function isInConsole(page: Page, path: string): boolean {
  const { origin, pathname } = new URL(page.url());
  return origin === seeded.gateway.platformUrl && pathname !== path.split("?")[0];
}

/** Whether a dialog or menu is open, which a failed test has left behind: it hides the page from assistive technology. */
async function hasOverlay(page: Page): Promise<boolean> {
  return (await page.getByRole("dialog").or(page.getByRole("menu")).count()) > 0;
}

/** The violations in both themes. In the dark theme, which differs only in colours, only contrast is checked. */
async function violationsInBothThemes(page: Page, within?: { readonly light?: string; readonly dark: string }): Promise<string[]> {
  const light = await axeViolations(page, within?.light);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await axeViolations(page, within?.dark, ["color-contrast"]);
  return [...light, ...dark.map((violation) => `dark theme, ${violation}`)];
}

async function violationsAtDesk(page: Page, within: string): Promise<string[]> {
  await page.setViewportSize(DESK);
  return violationsInBothThemes(page, { light: within, dark: within });
}

/** Reports a page that is wider than a phone and would scroll horizontally. */
async function tooWide(page: Page): Promise<string[]> {
  await page.setViewportSize(PHONE);
  return untilFits(page).then(
    () => [],
    (error: Error) => [`wider than a phone: ${error.message}`],
  );
}

/** Waits until an element is inside the screen: it may move when the screen becomes narrower. */
async function insideOf(place: Locator, width: number): Promise<void> {
  await eventually(
    async () => (await place.boundingBox())!,
    (box) => box.x >= 0 && box.x + box.width <= width,
  );
}

async function headings(page: Page): Promise<string[]> {
  const count = await page.getByRole("heading", { level: 1 }).count();
  return count === 1 ? [] : [`${count} h1 headings`];
}

/** A new gateway without data, stopped when the test ends. */
async function startEmpty(): Promise<RunningGateway & AsyncDisposable> {
  const gateway = await startGateway();
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.stop() };
}

describe.skipIf(!browser)("axe finds no violations", () => {
  let operator: Visit;
  let member: Visit;
  beforeAll(async () => {
    seeded = await seedGateway();
    operator = await visitAs(browser!, seeded.gateway, null);
    member = await visitAs(browser!, seeded.gateway, seeded.account, { viewport: PHONE });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });

  for (const [place, { route, at, heading }] of EVERY_PAGE.entries()) {
    test(`on the page ${route}`, async () => {
      const { page, complaints } = operator;
      for (const path of at(seeded)) {
        await page.emulateMedia({ colorScheme: "light" });
        await open(page, path, heading);
        // The layout around all pages is the same, so it is checked only once.
        const within = route === "/" ? "html" : "main";
        const checks = [(): Promise<string[]> => violationsAtDesk(page, within), (): Promise<string[]> => tooWide(page)];
        const faults: string[] = [];
        // Every second page is opened on a phone first: changing the width takes as long as opening a page.
        for (const check of place % 2 === 0 ? checks : checks.toReversed()) faults.push(...(await check()));
        expect([path, ...faults, ...(await headings(page)), ...complaints]).toEqual([path]);
      }
    }, 300_000);
  }

  for (const { route, at, heading } of EVERY_PAGE.filter(({ isForMembers }) => isForMembers)) {
    test(`on the page ${route}, as a member on a phone`, async () => {
      const { page, complaints } = member;
      const [path] = at(seeded);
      await open(page, path!, heading);
      await page.emulateMedia({ colorScheme: "dark" });
      expect([...(await axeViolations(page)), ...(await headings(page)), ...(await tooWide(page)), ...complaints]).toEqual([]);
    }, 300_000);
  }

  test("on empty pages of a new gateway", async () => {
    await using empty = await startEmpty();
    const { page, complaints } = await visitAs(browser!, empty, null);
    for (const path of ["/start", "/", "/requests", "/keys", "/people", "/alerts"]) {
      await page.emulateMedia({ colorScheme: "light" });
      await open(page, path);
      expect([path, ...(await violationsInBothThemes(page, { dark: "main" })), ...complaints]).toEqual([path]);
    }
  }, 300_000);

  test("in the navigation on a phone", async () => {
    const { page } = operator;
    await page.setViewportSize(PHONE);
    await open(page, "/keys");
    await page.getByRole("button", { name: "Open navigation" }).click();
    await page.getByRole("link", { name: "Overview" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
  }, 300_000);

  for (const { name, at, by, role = "dialog" } of DIALOGS) {
    test(`in the ${role} to ${name}`, async () => {
      const { page, complaints } = operator;
      await page.setViewportSize(DESK);
      await page.emulateMedia({ colorScheme: "light" });
      await open(page, at(seeded));
      await by(page);
      await page.getByRole(role).waitFor();
      expect([...(await violationsInBothThemes(page, { light: `[role=${role}]`, dark: `[role=${role}]` })), ...complaints]).toEqual([]);
      await page.setViewportSize(PHONE);
      await insideOf(page.getByRole(role), PHONE.width);
      await page.keyboard.press("Escape");
      await page.getByRole(role).waitFor({ state: "hidden" });
    }, 300_000);
  }
});
