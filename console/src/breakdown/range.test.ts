import { expect, test } from "bun:test";
import { bucketsOf, describeRange, MAX_DAYS, readRange, spanOf, type RangeSearch } from "./range.ts";
import { inSlots, slotsOf } from "./slots.ts";

const NOW = Date.parse("2027-11-03T11:10:30Z");

test("starts a range with a whole day or hour of its time zone", () => {
  expect(readRange({ range: "7d", zone: "Europe/Berlin" }, NOW, "UTC")).toEqual({
    id: "7d",
    zone: "Europe/Berlin",
    unit: "day",
    fromMs: Date.parse("2027-10-27T22:00:00Z"),
    toMs: undefined,
    problem: undefined,
  });
  // Some offsets from UTC are not whole hours.
  expect(spanOf(readRange({ range: "24h" }, NOW, "Asia/Kathmandu"))).toEqual({ zone: "Asia/Kathmandu", from: "2027-11-02T11:15:00.000Z" });
  expect(bucketsOf(readRange({ range: "24h", zone: "UTC" }, NOW, "UTC"), NOW)).toHaveLength(24);
  expect(bucketsOf(readRange({ range: "90d", zone: "Pacific/Kiritimati" }, NOW, "UTC"), NOW)).toHaveLength(90);
});

test("keeps a range stable until the hour or day ends, so that it can be cached", () => {
  for (const range of ["24h", "30d"]) {
    expect(readRange({ range }, NOW, "Asia/Kathmandu")).toEqual(readRange({ range }, NOW + 60_000, "Asia/Kathmandu"));
  }
});

test("includes the last day of a custom range, and shows up to two days by the hour", () => {
  const search = { range: "custom", from: "2027-10-30", to: "2027-10-31", zone: "Europe/Berlin" };
  const range = readRange(search, NOW, "UTC");
  expect(spanOf(range)).toEqual({ zone: "Europe/Berlin", from: "2027-10-29T22:00:00.000Z", to: "2027-10-31T23:00:00.000Z" });
  expect([range.unit, bucketsOf(range, NOW).length]).toEqual(["hour", 49]);
  expect(readRange({ ...search, from: "2027-10-29" }, NOW, "UTC").unit).toBe("day");
  // Today is incomplete.
  expect(readRange({ ...search, to: "2027-11-03" }, NOW, "UTC").toMs).toBeUndefined();
  expect(describeRange(range, NOW)).toBe("From 30 Oct 2027, 00:00 to 1 Nov 2027, 00:00, by hour in Europe/Berlin (UTC+01:00).");
});

function custom(from?: string, to?: string): RangeSearch {
  return { range: "custom", ...(from && { from }), ...(to && { to }) };
}

test("reports an invalid range in the URL and shows the default range", () => {
  const fallback = { unit: "day", fromMs: Date.parse("2027-10-28T00:00:00Z"), toMs: undefined };
  const cases: [RangeSearch, RegExp][] = [
    [custom(), /Choose/],
    [custom("2027-10-01", "01.11.2027"), /Choose/],
    [custom("2027-13-01", "2027-13-02"), /Choose/],
    [custom("2027-11-02", "2027-11-01"), /after the end date/],
    [custom("2027-01-01", "2027-11-01"), new RegExp(`limited to ${MAX_DAYS}`)],
    [custom("2027-11-04", "2027-11-05"), /in the future/],
    [{ zone: "Mars/Olympus" }, /Unknown time zone Mars\/Olympus/],
  ];
  for (const [search, problem] of cases) {
    const range = readRange(search, NOW, "UTC");
    expect(range).toMatchObject(fallback);
    expect(range.problem).toMatch(problem);
  }
  expect(readRange({ range: "fortnight" }, NOW, "UTC")).toMatchObject({ ...fallback, problem: undefined });
});

test("limits the number of slots", () => {
  const range = readRange({ range: "custom", from: "2027-04-18", to: "2027-11-03", zone: "UTC" }, NOW, "UTC");
  expect(slotsOf(range, NOW)).toHaveLength(MAX_DAYS);
});

test("matches rows to slots across a daylight saving change, and marks the last slot as incomplete", () => {
  const nowMs = Date.parse("2027-10-31T01:30:00Z");
  const slots = slotsOf(readRange({ range: "24h" }, nowMs, "Europe/Berlin"), nowMs);
  expect(slots.slice(-3).map(({ name, tick, isPartial }) => [name, tick, isPartial])).toEqual([
    ["2027-10-31T01:00+02:00", "01:00", false],
    ["2027-10-31T02:00+02:00", "02:00", false],
    ["2027-10-31T02:00+01:00", "02:00", true],
  ]);
  const rows = [{ hour: "2027-10-31T02:00+01:00", requests: 7 }];
  expect(
    inSlots(slots, rows)
      .map((row) => row?.requests)
      .slice(-3),
  ).toEqual([undefined, undefined, 7]);
});
