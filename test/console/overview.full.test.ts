import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { money } from "../../console/src/parts/format/format.ts";
import { startGateway, waitFor, type RunningGateway } from "../support/gateway/start-gateway.ts";
import { seedStores } from "./seed-stores.ts";
import { goTo, openBrowser, untilFits, visitAs, type Visit } from "./open-console.ts";
import { eventually } from "../support/eventually.ts";

const browser = await openBrowser();
const MODELS = ["fast-chat", "<img src=x onerror=alert(1)>", "slow-chat"];
/** Offsets from UTC that are not whole hours. One of the two is always far from midnight, so that the current day has data and does not end during the test. */
const ZONES = [
  { timezoneId: "Asia/Kathmandu", hours: 5.75, shown: /by day in Asia\/Kath?mandu \(UTC\+05:45\)/ },
  { timezoneId: "Pacific/Marquesas", hours: -9.5, shown: /by day in Pacific\/Marquesas \(UTC[-−]09:30\)/ },
] as const;
const { hours: HOURS, shown: SHOWN, ...ZONE } = ZONES[isFarFromMidnight(hourOfDay(ZONES[0].hours)) ? 0 : 1];

function hourOfDay(hoursFromUtc: number): number {
  return new Date(Date.now() + hoursFromUtc * 3_600_000).getUTCHours();
}

function isFarFromMidnight(hour: number): boolean {
  return hour >= 6 && hour < 23;
}

const env = { TOLLGATE_REQUEST_LOG_DAYS: "60" };

let gateway: RunningGateway;
let operator: Visit;

interface Usage {
  readonly total: { readonly cost: string; readonly requests: number };
  readonly data: readonly { readonly day: string; readonly key?: string; readonly cost: string; readonly is_partial: boolean }[];
}

/** Two accounts with keys, one of them without credit, and 40 days of usage. */
async function seedHistory(): Promise<void> {
  const keys: { id: string; account: string }[] = [];
  for (const account of ["acme", "globex"]) {
    await gateway.platform("POST", "/api/accounts", { id: account, name: account });
    for (const name of ["ci", "a name as long as nobody has ever thought of giving to a key, though nothing keeps them from it"]) {
      const { id } = await gateway.platform<{ id: string }>("POST", "/api/keys", { name, account, models: ["*"] });
      keys.push({ id, account });
    }
  }
  await gateway.platform("POST", "/api/accounts/acme/grants", { amount: "25", reference: "first", reason: "for tests" });
  await gateway.end();
  await seedStores({ dataFolder: join(gateway.folder, "data"), requests: 2000, days: 40, endMs: Date.now(), keys, models: MODELS });
  gateway = await startGateway({ folder: gateway.folder, env });
}

/** Usage from the API in the browser's time zone. Soon after startup the totals are still being built. */
async function usage(query: string): Promise<Usage> {
  const answer = await eventually(
    () => gateway.platform<Usage>("GET", `/api/usage?zone=${ZONE.timezoneId}&${query}`).catch(String),
    (reply) => typeof reply !== "string",
  );
  return answer as Usage;
}

/** A date in the browser's time zone, as in the URL. */
function dayOf(daysAgo: number): string {
  return new Date(Date.now() + HOURS * 3_600_000 - daysAgo * 86_400_000).toISOString().slice(0, 10);
}

/** A date as in chart tooltips. */
function titleOf(day: string): string {
  return new Date(day).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

describe.skipIf(!browser)("the overview", () => {
  beforeAll(async () => {
    gateway = await startGateway({ env });
    await seedHistory();
    operator = await visitAs(browser!, gateway, null, ZONE);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
  });

  test("shows the same totals as the API, as chart, table and CSV, in the browser's time zone", async () => {
    const week = await usage(`by=day&from=${dayOf(6)}`);
    const { page, complaints } = operator;
    await goTo(page, "/?by=total&compare=off");
    const spend = page.getByRole("region", { name: "Spend", exact: true });
    await spend.getByText(money(week.total.cost)).waitFor();
    await page.getByText(SHOWN).waitFor();
    // The last day is incomplete: its bar is hatched and labelled.
    await spend.getByText("Last day incomplete.").waitFor();
    await spend.getByRole("application", { name: /^Spend: \$.* is incomplete\./ }).waitFor();
    const hatched = spend.locator("path[fill^='url(']");
    await hatched.first().waitFor({ state: "attached" });
    expect(await hatched.count()).toBe(1);
    // One path has all bars of a series.
    expect((await spend.locator("path[fill='var(--color-series-1)']").getAttribute("d"))!.split("M").length - 1).toBe(week.data.length - 1);

    // Arrow keys move the tooltip. The mouse must not be on the chart: it takes precedence.
    await page.mouse.move(0, 0);
    await spend.getByRole("application").focus();
    const tip = spend.getByRole("status");
    await tip.getByText(money(week.data[0]!.cost)).waitFor();
    await page.keyboard.press("ArrowRight");
    await tip.getByText(titleOf(week.data[1]!.day)).waitFor();
    await tip.getByText(money(week.data[1]!.cost)).waitFor();

    await spend.getByRole("button", { name: "Show Spend as table" }).click();
    const rows = spend.getByRole("table", { name: "Spend" }).getByRole("row");
    await rows.nth(7).waitFor();
    expect(await rows.count()).toBe(8);
    expect(await rows.last().textContent()).toContain(`(incomplete)${money(week.data.at(-1)!.cost)}`);
    // Running totals end with the total of the range.
    await spend.getByText("Cumulative").click();
    await rows.last().getByText(money(week.total.cost)).waitFor();
    await spend.getByText("Cumulative").click();
    await rows
      .last()
      .getByText(money(week.data.at(-1)!.cost))
      .waitFor();

    const [download] = await Promise.all([
      page.waitForEvent("download"),
      spend.getByRole("button", { name: "Download Spend as CSV" }).click(),
    ]);
    const lines = (await Bun.file(await download.path()).text()).trim().split("\r\n");
    expect(lines.slice(0, -1)).toEqual(["time,is_partial,cost", ...week.data.slice(0, -1).map(({ day, cost }) => `${day},false,${cost}`)]);
    expect(download.suggestedFilename()).toBe("spend.csv");
    expect(complaints).toEqual([]);
  });

  test("stacks a measure by a dimension, filters by the legend, and lists the requests of a bar", async () => {
    const week = await usage(`by=day,key&top=10&from=${dayOf(6)}`);
    const before = await usage(`by=day&from=${dayOf(13)}&to=${dayOf(6)}`);
    const { page, complaints } = operator;
    await goTo(page, "/?compare=off");
    const spend = page.getByRole("region", { name: "Spend", exact: true });
    await spend.getByLabel("Stacked by").selectOption("By key");
    await page.waitForURL("**by=key");
    const series = spend.getByRole("list", { name: "Series" }).getByRole("button");
    await eventually(
      () => series.allTextContents(),
      (names) => names.length === 4 && names.includes("ci"),
    );
    // Each click hides or shows a series. With Shift, the series is shown alone, and the next time all series are shown again.
    const drawn = spend.locator("path[data-series]:not([fill^='url('])");
    await series.first().click();
    await eventually(
      () => drawn.count(),
      (paths) => paths === 3,
    );
    expect(await series.first().getAttribute("aria-pressed")).toBe("false");
    await series.nth(1).click({ modifiers: ["Shift"] });
    await eventually(
      () => drawn.count(),
      (paths) => paths === 1,
    );
    await series.nth(1).click({ modifiers: ["Shift"] });
    await eventually(
      () => drawn.count(),
      (paths) => paths === 4,
    );

    // The table has each group, and the same sums as the API.
    await spend.getByRole("button", { name: "Show Spend as table" }).click();
    const heads = spend.getByRole("columnheader");
    await heads.nth(4).waitFor();
    expect(await heads.count()).toBe(5);
    const cells = await spend.getByRole("row").nth(1).getByRole("cell").allTextContents();
    const first = week.data.filter(({ day }) => day === week.data[0]!.day).map(({ cost }) => money(cost));
    expect(cells.slice(1).toSorted()).toEqual(first.toSorted());
    await spend.getByRole("button", { name: "Show Spend as chart" }).click();

    // The previous period is compared up to the same time of the day.
    await spend.getByText("Compare").click();
    await spend.getByText(/[▲▼] [+−][\d.]+%, was \$|unchanged/).waitFor();
    await spend.locator("path[data-series='previous']").waitFor({ state: "attached" });
    await spend.getByRole("button", { name: "Show Spend as table" }).click();
    const column = await spend.getByRole("row").nth(1).getByRole("cell").last().textContent();
    expect(column).toBe(money(before.data[0]!.cost));
    await spend.getByRole("button", { name: "Show Spend as chart" }).click();

    // A click opens the requests of the bar: the largest key of the first day is at the bottom.
    const chart = spend.getByRole("application");
    await chart.click({ position: { x: 80, y: (await chart.boundingBox())!.height - 30 } });
    await page.waitForURL("**/requests?**");
    const opened = new URL(page.url()).searchParams;
    expect([...opened.keys()].toSorted()).toEqual(["from", "key", "to"]);
    const spentBy = Map.groupBy(week.data, ({ key }) => key!);
    const sums = [...spentBy].map(([key, rows]) => ({ key, spent: rows.reduce((sum, { cost }) => sum + Number(cost), 0) }));
    expect(opened.get("key")).toBe(sums.toSorted((one, other) => other.spent - one.spent)[0]!.key);
    expect(Date.parse(opened.get("to")!) - Date.parse(opened.get("from")!)).toBe(86_400_000);
    await page.getByRole("table").first().waitFor();
    // A click on the chart of outcomes does the same: the successful requests are at the bottom.
    await page.goBack();
    const outcomes = page.getByRole("region", { name: "Requests", exact: true }).getByRole("application");
    await outcomes.click({ position: { x: 80, y: 170 } });
    await page.waitForURL("**/requests?**");
    expect(new URL(page.url()).searchParams.get("outcome")).toBe("complete,replayed,dry_run");
    await page.getByRole("group", { name: "Active filters" }).getByText("succeeded or idempotent replay or dry run").waitFor();

    // A name that no tag can have is rejected, and replaced by the tag of the chart when the field loses focus.
    await goTo(page, "/?by=tag");
    const tag = page.getByRole("textbox", { name: "Tag" });
    await tag.fill("not a tag");
    await tag.press("Enter");
    expect(await page.evaluate<string>("document.activeElement.validationMessage")).toContain("Letters, digits");
    await tag.blur();
    expect(await tag.inputValue()).toBe("team");
    expect(complaints).toEqual([]);
  });

  test("shows margin to operators, hours of the week, and the same 30 days on every page", async () => {
    const { page, complaints } = operator;
    const month = await usage(`by=day&from=${dayOf(29)}&account=acme`);
    await goTo(page, "/?range=30d&account=acme&measure=margin");
    await page.getByRole("region", { name: "Margin", exact: true }).waitFor();
    const hours = page.getByRole("region", { name: "Hours of the week" });
    await hours.getByRole("rowheader", { name: "Mon" }).waitFor();
    expect(await hours.getByRole("row").count()).toBe(8);
    expect(await hours.getByRole("cell").count()).toBe(7 * 24);
    await hours.getByLabel("Measure of the heat map").selectOption("Spend");
    await page.waitForURL("**heat=cost");
    await page.getByText(money(month.total.cost), { exact: true }).first().waitFor();
    await goTo(page, "/accounts/acme");
    const spend = page.getByRole("region", { name: "Spend", exact: true });
    await spend.getByText(money(month.total.cost), { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("saves, opens, renames and deletes views of a page", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/?range=30d&by=account&measure=tokens");
    const menu = page.getByRole("button", { name: "Views" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Save this view…" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Tokens by account");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("View Tokens by account saved.").waitFor();
    await goTo(page, "/requests");
    await menu.click();
    await page.getByRole("menuitem", { name: "Tokens by account" }).click();
    await page.waitForURL("**/?range=30d&by=account&measure=tokens");
    await page.getByRole("region", { name: "Input and output tokens" }).waitFor();
    await menu.click();
    await page.getByRole("menuitem", { name: "Manage views…" }).click();
    await page.getByRole("button", { name: "Rename Tokens by account" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Tokens");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Delete Tokens", exact: true }).click();
    await page.getByText("No saved views.").waitFor();
    await page.keyboard.press("Escape");
    expect(complaints).toEqual([]);
  });

  test("keeps the filters in the URL, and links to the models and requests", async () => {
    const { page, complaints } = operator;
    await goTo(page, "/");
    await page.getByRole("link", { name: "30 days" }).click();
    await page.waitForURL("**/?range=30d");
    const month = await usage(`by=day&from=${dayOf(29)}`);
    await page.getByRole("region", { name: "Spend", exact: true }).getByText(money(month.total.cost)).waitFor();

    await page.getByRole("link", { name: "Custom" }).click();
    await page.getByLabel("Start date").fill(dayOf(9));
    await page.getByLabel("End date").fill(dayOf(5));
    await page.getByLabel("End date").press("Enter");
    await page.waitForURL(`**/?range=custom&from=${dayOf(9)}&to=${dayOf(5)}`);
    const some = await usage(`by=day&from=${dayOf(9)}&to=${dayOf(4)}`);
    await page.getByRole("region", { name: "Spend", exact: true }).getByText(money(some.total.cost)).waitFor();
    expect(await page.getByText("Last day incomplete.").count()).toBe(0);

    await page.getByLabel("Time zone", { exact: true }).fill("Lord_Howe");
    await page.getByRole("option", { name: "Australia/Lord_Howe" }).click();
    await page.waitForURL("**zone=Australia%2FLord_Howe");
    await page.getByRole("combobox", { name: "Account" }).fill("glob");
    await page.getByRole("option", { name: "globex" }).click();
    await page.waitForURL("**account=globex");
    const { pathname, search } = new URL(page.url());
    await goTo(page, pathname + search);
    await page.getByText("by day in Australia/Lord_Howe").waitFor();
    // Model IDs are text, even when they look like markup.
    const models = page.getByRole("region", { name: "Top models" });
    await models.getByRole("link", { name: MODELS[1]! }).waitFor();
    const errors = page.getByRole("region", { name: "Top errors" });
    await errors.getByRole("link").first().click();
    await page.waitForURL("**/requests?account=globex&code=*&from=*&to=*");
    expect(complaints).toEqual([]);
  });

  test("shows members only their own account, and warns them when it is out of credit", async () => {
    const { page, complaints } = await visitAs(browser!, gateway, "globex", { ...ZONE, viewport: { width: 390, height: 800 } });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await goTo(page, "/");
    await page.getByText("Your account is out of credit").waitFor();
    const own = await usage(`by=day&account=globex&from=${dayOf(6)}`);
    await page.getByRole("region", { name: "Spend", exact: true }).getByText(money(own.total.cost)).waitFor();
    await page.getByRole("region", { name: "Top keys" }).getByRole("link", { name: "ci" }).waitFor();
    expect(await page.getByRole("region", { name: "Top accounts" }).count()).toBe(0);
    expect(asked).not.toContain("/api/accounts");
    await untilFits(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("refreshes automatically, and moves its range forward while it stays open", async () => {
    const { page, complaints } = operator;
    const spans: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/usage" && searchParams.get("by") === "hour") spans.push(searchParams.get("from")!);
    });
    await page.clock.install();
    await goTo(page, "/?range=24h");
    await page.getByRole("region", { name: "Spend", exact: true }).getByRole("application").waitFor();
    const seen = spans.length;
    await page.clock.fastForward(31_000);
    await waitFor(() => spans.length > seen);
    await page.clock.fastForward("10:00:00");
    await waitFor(() => Date.parse(spans.at(-1)!) - Date.parse(spans[0]!) >= 10 * 3_600_000);
    expect(complaints).toEqual([]);
  });

  test("shows the other data while usage totals are being built, then refreshes", async () => {
    const { page } = operator;
    const detail = "Usage is still being added up: 45 % of the ledger so far.";
    const problem = { type: "about:blank", title: "Overloaded", status: 503, detail, code: "overloaded", param: null, request_id: "req_1" };
    let refused = 0;
    await page.route("**/api/usage?**", async (route) => {
      if (route.request().url().includes("by=day")) refused++;
      await route.fulfill({ status: 503, json: problem });
    });
    await goTo(page, "/?range=30d");
    await page.getByText(detail).first().waitFor();
    await page.getByRole("region", { name: "Latency" }).getByRole("application").waitFor();
    // A query makes three attempts, so the fourth attempt is the refresh.
    await waitFor(() => refused > 3);
    await page.unroute("**/api/usage?**");
    await page.getByRole("region", { name: "Spend", exact: true }).getByRole("application").waitFor();
    // The reports are refreshed at different times.
    await page.getByText(detail).waitFor({ state: "detached" });

    // A failed report does not look as if it were still loading.
    const broken = { ...problem, status: 500, code: "internal_error" };
    await page.route("**/api/{usage,accounts,requests/statistics}?**", (route) => route.fulfill({ status: 500, json: broken }));
    await goTo(page, "/?range=30d");
    await page.getByRole("region", { name: "Spend", exact: true }).getByRole("button", { name: "Try again" }).waitFor();
    await eventually(
      () => page.locator(".skeleton").count(),
      (loading) => loading === 0,
    );
  });
});
