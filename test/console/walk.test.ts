import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { EVERY_PAGE, routesOfTheRouter } from "./every-page.ts";
import { navigate, openBrowser, visitAs, type Visit } from "./open-console.ts";
import { seedGateway, type SeededGateway } from "./seeded-gateway.ts";

const browser = await openBrowser();

describe.skipIf(!browser)("a walk through the console", () => {
  let seeded: SeededGateway;
  let operator: Visit;
  beforeAll(async () => {
    seeded = await seedGateway();
    operator = await visitAs(browser!, seeded.gateway, null);
    await operator.page.goto("/");
  });
  afterAll(async () => {
    await browser?.close();
    await seeded?.stop();
  });

  test("every route of the console is in the list of pages", async () => {
    expect(EVERY_PAGE.map(({ route }) => route).toSorted()).toEqual((await routesOfTheRouter()).toSorted());
  });

  for (const { route, at, heading } of EVERY_PAGE) {
    test(`the page ${route} loads its data without an error`, async () => {
      const { page, complaints } = operator;
      const [path] = at(seeded);
      await navigate(page, path!);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await page.locator(".skeleton:visible").first().waitFor({ state: "detached" });
      expect(await page.getByRole("alert").allTextContents()).toEqual([]);
      expect(complaints).toEqual([]);
    });
  }

  test("a key is created, shown once, and accepted by the gateway", async () => {
    const { page, complaints } = operator;
    await navigate(page, "/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("from the walk");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const key = await page.getByLabel("New key", { exact: true }).textContent();
    const { status } = await fetch(`${seeded.gateway.baseUrl}/models`, { headers: { authorization: `Bearer ${key}` } });
    expect({ status, complaints }).toEqual({ status: 200, complaints: [] });
  });
});
