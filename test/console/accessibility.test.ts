import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { isLong } from "../long.ts";
import { startGateway, type RunningGateway } from "../start-gateway.ts";
import { axeViolations } from "./axe-violations.ts";
import { DIALOGS } from "./dialogs.ts";
import { EVERY_PAGE, routesOfTheRouter } from "./every-page.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";
import { openBrowser, visitAs, type Visit } from "./open-console.ts";
import { eventually } from "../streams/eventually.ts";

const browser = await openBrowser();
const DESK = { width: 1280, height: 800 };
const TELEPHONE = { width: 390, height: 800 };
/** Nothing is looked at while it is on its way. */
const AT_REST = { reducedMotion: "reduce" } as const;

let made: SeededGateway;

/** Until all of a page is there, in the light. */
async function open(page: Page, path: string, heading = /./): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  await page.locator(".skeleton:visible").first().waitFor({ state: "detached" });
}

/** Until the other colours are there. */
async function darken(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** What stands in somebody's way, in both themes: the dark one differs in its colours alone. */
async function violationsInBothThemes(page: Page, within?: { readonly light?: string; readonly dark: string }): Promise<string[]> {
  const light = await axeViolations(page, within?.light);
  await darken(page);
  const dark = await axeViolations(page, within?.dark, ["color-contrast"]);
  return [...light, ...dark.map((barrier) => `in the dark, ${barrier}`)];
}

/** Whether a page is wider than a telephone, so that each line has to be pushed to and fro. */
async function tooWide(page: Page): Promise<string[]> {
  await page.setViewportSize(TELEPHONE);
  const width = await page.evaluate<number>("document.documentElement.scrollWidth");
  return width === TELEPHONE.width ? [] : [`${width} px wide on a telephone`];
}

/** Until something stands within the screen. It may move there when the screen has become narrower. */
async function insideOf(place: Locator, width: number): Promise<void> {
  await eventually(
    async () => (await place.boundingBox())!,
    (box) => box.x >= 0 && box.x + box.width <= width,
  );
}

async function headings(page: Page): Promise<string[]> {
  const count = await page.getByRole("heading", { level: 1 }).count();
  return count === 1 ? [] : [`${count} headings of the first level`];
}

/** A gateway on its first day, which ends with the test. */
async function startEmpty(): Promise<RunningGateway & AsyncDisposable> {
  const gateway = await startGateway();
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.stop() };
}

describe.skipIf(!browser)("nothing keeps people from using", () => {
  let operator: Visit;
  let member: Visit;
  beforeAll(async () => {
    made = await seedGateway();
    operator = await visitAs(browser!, made.gateway, null, AT_REST);
    member = await visitAs(browser!, made.gateway, made.account, { ...AT_REST, viewport: TELEPHONE });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await made?.stop();
  });

  test("all pages, each of which is looked at here", async () => {
    expect(EVERY_PAGE.map(({ route }) => route).toSorted()).toEqual((await routesOfTheRouter()).toSorted());
  });

  for (const { route, at, heading } of EVERY_PAGE) {
    test(`the page ${route}`, async () => {
      const { page, complaints } = operator;
      // The other parts of a page are looked at in the long run.
      for (const path of at(made).slice(0, isLong ? undefined : 1)) {
        await page.setViewportSize(DESK);
        await open(page, path, heading);
        // What stands around all pages is the same on each.
        const within = route === "/" ? "html" : "main";
        const faults = await violationsInBothThemes(page, { light: within, dark: within });
        expect([path, ...faults, ...(await headings(page)), ...(await tooWide(page)), ...complaints]).toEqual([path]);
      }
    }, 60_000);
  }

  for (const { route, at, heading } of EVERY_PAGE.filter(({ isForMembers }) => isForMembers)) {
    test(`the page ${route}, as a member with a telephone`, async () => {
      const { page, complaints } = member;
      const [path] = at(made);
      await open(page, path!, heading);
      await darken(page);
      expect([...(await axeViolations(page)), ...(await headings(page)), ...(await tooWide(page)), ...complaints]).toEqual([]);
    }, 60_000);
  }

  test.skipIf(!isLong)(
    "pages on which there is nothing yet",
    async () => {
      await using empty = await startEmpty();
      const { page, complaints } = await visitAs(browser!, empty, null, AT_REST);
      for (const path of ["/start", "/", "/requests", "/keys", "/people", "/alerts"]) {
        await open(page, path);
        expect([path, ...(await violationsInBothThemes(page, { dark: "main" })), ...complaints]).toEqual([path]);
      }
    },
    300_000,
  );

  test("the navigation on a telephone", async () => {
    const { page } = member;
    await open(page, "/keys");
    await page.getByRole("button", { name: "Open the navigation" }).click();
    await page.getByRole("link", { name: "Overview" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  }, 300_000);

  for (const { name, at, by, role = "dialog" } of DIALOGS.filter(({ isAlike }) => isLong || !isAlike)) {
    test(`the ${role} to ${name}`, async () => {
      const { page, complaints } = operator;
      await page.setViewportSize(DESK);
      await open(page, at(made));
      await by(page);
      await page.getByRole(role).waitFor();
      const within = `[role=${role}]`;
      expect([...(await violationsInBothThemes(page, { light: within, dark: within })), ...complaints]).toEqual([]);
      await page.setViewportSize(TELEPHONE);
      await insideOf(page.getByRole(role), TELEPHONE.width);
    }, 60_000);
  }
});
