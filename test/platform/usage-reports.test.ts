import { afterAll, beforeAll, expect, test } from "bun:test";
import { hold, settlement, USAGE } from "../support/money/ledger-samples.ts";
import { memberOf, openPlatform, OPERATOR, type PlatformInProcess } from "../support/gateway/platform-in-process.ts";

const NOW = Date.parse("2027-11-03T11:10:00Z");
const ACME = memberOf("acme");

let platform: PlatformInProcess;

beforeAll(async () => {
  platform = await openPlatform(new Map(), { nowMs: () => NOW });
  const { ledger } = platform.stores;
  const ends = [
    ["2027-10-31T00:30:00Z", "acme", "model-a", "here"],
    ["2027-10-31T01:30:00Z", "acme", "model-a", "there"],
    ["2027-10-31T01:31:00Z", "beta", "model-b", "here"],
    ["2027-10-31T23:30:00Z", "acme", "model-b", "here"],
    ["2027-11-03T11:00:00Z", "acme", "model-a", "here"],
  ] as const;
  for (const [at, [when, accountId, model, upstream]] of ends.entries()) {
    await ledger.hold(hold(`r${at}`, 10n, { accountId, keyId: `key-${accountId}`, model, atMs: Date.parse(when) - 1000 }));
    await ledger.settle(`r${at}`, settlement(BigInt(at + 1), { atMs: Date.parse(when), upstream }));
  }
  await ledger.hold(hold("failed", 10n, { accountId: "acme", keyId: "key-acme", model: "model-a" }));
  ledger.release("failed", "upstream_error", Date.parse("2027-11-02T09:00:00Z"));
});
afterAll(() => platform.stop());

interface Page {
  readonly data: readonly Record<string, unknown>[];
  readonly next: string | null;
  readonly zone: string;
  readonly from: string;
  readonly to: string;
  readonly total: Record<string, unknown>;
}

async function ask(query: string, actor = OPERATOR): Promise<Page> {
  const { status, body } = await platform.call(actor, "showUsage", { query });
  expect([query, status]).toEqual([query, 200]);
  return body as unknown as Page;
}

/** Each row in short form: its group, and the number of requests. */
const inShort = ({ data }: Page): unknown[][] =>
  data.map((row) => [
    ...["hour", "day", "model", "key", "account", "upstream"].flatMap((name) => (name in row ? [row[name]] : [])),
    row["requests"],
  ]);

test("reports days of the given time zone or UTC, without days that have no usage", async () => {
  expect(inShort(await ask("by=day"))).toEqual([
    ["2027-10-31", 4],
    ["2027-11-02", 0],
    ["2027-11-03", 1],
  ]);
  expect(inShort(await ask("by=day&zone=Europe/Berlin"))).toEqual([
    ["2027-10-31", 3],
    ["2027-11-01", 1],
    ["2027-11-02", 0],
    ["2027-11-03", 1],
  ]);
  expect(inShort(await ask("by=day&zone=America/New_York"))[0]).toEqual(["2027-10-30", 3]);
});

test("a repeated hour is two rows", async () => {
  expect(inShort(await ask("by=hour&zone=Europe/Berlin&to=2027-11-01"))).toEqual([
    ["2027-10-31T02:00+02:00", 1],
    ["2027-10-31T02:00+01:00", 2],
  ]);
});

test("reads dates in the time zone and timestamps exactly, and echoes the span", async () => {
  expect(await ask("by=day&zone=europe/berlin&from=2027-10-31&to=2027-11-01")).toMatchObject({
    zone: "Europe/Berlin",
    from: "2027-10-30T22:00:00.000Z",
    to: "2027-10-31T23:00:00.000Z",
    data: [{ day: "2027-10-31", is_partial: false, requests: 3 }],
  });
  const cut = await ask("by=day&zone=Europe/Berlin&from=2027-10-31T00:30:00.001Z&to=2027-10-31T23:30:00%2B01:00");
  expect(cut).toMatchObject({ from: "2027-10-31T00:30:00.001Z", data: [{ day: "2027-10-31", is_partial: true, requests: 2 }] });
  // Not all days have 24 hours, so the days of a year may add up to a longer time.
  await ask("by=day&zone=Europe/Berlin&from=2027-03-28&to=2028-03-28");
});

test("marks a day that is not over, and the first day of the default span is complete", async () => {
  const { data, from, to } = await ask("by=day&zone=Asia/Kathmandu");
  expect([from, to]).toEqual(["2027-10-04T18:15:00.000Z", "2027-11-03T11:10:00.000Z"]);
  expect(data.map((row) => [row["day"], row["is_partial"]]).slice(-2)).toEqual([
    ["2027-11-02", false],
    ["2027-11-03", true],
  ]);
  expect("is_partial" in (await ask("by=model")).data[0]!).toBe(false);
});

test("groups by two dimensions, in pages with each row once and the same total", async () => {
  const expected = [
    ["2027-10-31", "model-a", 2],
    ["2027-10-31", "model-b", 1],
    ["2027-11-01", "model-b", 1],
    ["2027-11-02", "model-a", 0],
    ["2027-11-03", "model-a", 1],
  ];
  for (const by of ["day,model", "model,day"]) {
    const rows: unknown[][] = [];
    for (let cursor = ""; rows.length < expected.length;) {
      const page = await ask(`by=${by}&zone=Europe/Berlin&limit=2${cursor}`);
      rows.push(...inShort(page));
      expect(page.total).toEqual({
        requests: 5,
        failed: 1,
        prompt_tokens: 5 * USAGE.promptTokens,
        cached_tokens: 5 * USAGE.cachedTokens,
        cache_write_tokens: 5 * USAGE.cacheWriteTokens,
        completion_tokens: 5 * USAGE.completionTokens,
        reasoning_tokens: 5 * USAGE.reasoningTokens,
        cost: "0.000000015",
        uncharged: "0.00",
      });
      expect(page.next === null).toBe(rows.length >= expected.length);
      cursor = `&cursor=${page.next}`;
    }
    expect(rows).toEqual(expected);
  }
});

test("orders by cost on request, on a single page", async () => {
  expect(inShort(await ask("by=upstream&order=cost"))).toEqual([
    ["here", 4],
    ["there", 1],
    [null, 0],
  ]);
  const { data, next, total } = await ask("by=upstream&order=cost&limit=1");
  expect([data.map((row) => row["upstream"]), next, total["requests"]]).toEqual([["here"], null, 5]);
  for (const query of ["by=day&order=cost", "by=model&order=cost&cursor=WzAsIm1vZGVsLWEiXQ"]) {
    expect((await platform.call(OPERATOR, "showUsage", { query })).status).toBe(400);
  }
});

test("operators see upstreams and unanswered requests; members see neither those nor other accounts", async () => {
  expect(inShort(await ask("by=upstream"))).toEqual([
    [null, 0],
    ["here", 4],
    ["there", 1],
  ]);
  expect((await ask("by=upstream")).data[0]).toMatchObject({ upstream: null, requests: 0, failed: 1 });
  expect(await platform.call(ACME, "showUsage", { query: "by=day,upstream" })).toMatchObject({
    status: 400,
    text: expect.stringContaining("by ") as string,
  });
  expect(inShort(await ask("by=account,model", ACME))).toEqual([
    ["model-a", "acme", 3],
    ["model-b", "acme", 1],
  ]);
  expect(inShort(await ask("by=model&account=beta", ACME))).toEqual([]);
  expect(inShort(await ask("by=model&key=nobody"))).toEqual([]);
  expect(inShort(await ask("by=model&account=nobody"))).toEqual([]);
});

test("the default span is 30 calendar days of the time zone including today, or 48 hours by hour", async () => {
  const spans = await Promise.all(["by=model", "by=day", "by=hour"].map(async (query) => (await ask(query)).from));
  expect(spans).toEqual(["2027-10-05T00:00:00.000Z", "2027-10-05T00:00:00.000Z", "2027-11-01T11:00:00.000Z"]);
  // The range ends at the end of a day, which is the last day of the report. Clocks change within the range.
  expect((await ask("by=day&to=2027-11-01&zone=Europe/Berlin")).from).toBe("2027-10-01T22:00:00.000Z");
  expect((await ask("by=hour_of_week&zone=Europe/Berlin")).from).toBe("2027-10-04T22:00:00.000Z");
});

test("shows the largest groups of the range in each day, and the others as one row", async () => {
  const page = await ask("by=day,model&top=1&zone=Europe/Berlin");
  expect(page.data.map((row) => [row["day"], row["model"], row["is_other"], row["requests"], row["failed"], row["cost"]])).toEqual([
    ["2027-10-31", "model-a", undefined, 2, 0, "0.000000003"],
    ["2027-10-31", undefined, true, 1, 0, "0.000000003"],
    ["2027-11-01", undefined, true, 1, 0, "0.000000004"],
    ["2027-11-02", "model-a", undefined, 0, 1, "0.00"],
    ["2027-11-03", "model-a", undefined, 1, 0, "0.000000005"],
  ]);
  expect([page.next, page.total["requests"], page.total["cost"]]).toEqual([null, 5, "0.000000015"]);
  expect(inShort(await ask("by=upstream&top=1&top_by=failed&limit=1"))).toEqual([[null, 0], [5]]);
  expect(inShort(await ask("by=model&top=5", ACME))).toEqual([
    ["model-a", 3],
    ["model-b", 1],
  ]);
});

test("rejects the largest groups with other orders, pages and groupings, and of too many hours", async () => {
  const queries = ["by=day&top=3", "by=key,model&top=3", "top=3&order=cost", "top=3&cursor=x", "top=0", "top=51", "top_by=cost"];
  for (const query of [...queries, "by=hour,model&top=3&from=2027-09-01", "by=hour_of_week&top=3", "by=hour_of_week,model"]) {
    expect([query, (await platform.call(OPERATOR, "showUsage", { query })).status]).toEqual([query, 400]);
  }
});

test("adds up all weeks by weekday and hour of the time zone", async () => {
  const page = await ask("by=hour_of_week&zone=Europe/Berlin");
  expect(page.data.map((row) => [row["weekday"], row["hour_of_day"], row["requests"], row["failed"]])).toEqual([
    [1, 0, 1, 0],
    [2, 10, 0, 1],
    [3, 12, 1, 0],
    [7, 2, 3, 0],
  ]);
  expect([page.next, page.total["requests"]]).toEqual([null, 5]);
});

test("by key, each row has the key's name, or null for an unknown key", async () => {
  const { data } = await ask("by=key");
  expect(data.map(({ key, key_name: name }) => [key, name])).toEqual([
    ["key-acme", null],
    ["key-beta", null],
  ]);
});
