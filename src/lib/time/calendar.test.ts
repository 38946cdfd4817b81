import { expect, test } from "bun:test";
import { bucketAt, bucketsBetween } from "./calendar.ts";
import { TimeZone } from "./time-zone.ts";

const HOUR_MS = 3_600_000;
const at = (text: string): number => Date.parse(text);
const zone = (name: string): TimeZone => TimeZone.find(name)!;

const offsetAt = (name: string, moment: string): number => zone(name).offsetAt(at(moment)) / HOUR_MS;
const hours = (name: string, from: string, to: string): string[] =>
  bucketsBetween("hour", at(from), at(to), zone(name)).map((hour) => `${hour.name} ${(hour.toMs - hour.fromMs) / 60_000}`);

test("finds a time zone by name, in any case, and rejects unknown ones", () => {
  expect(zone("Europe/Berlin").name).toBe("Europe/Berlin");
  expect(zone("europe/berlin")).toBe(zone("Europe/Berlin"));
  expect(["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires"].map((name) => zone(name).name)).not.toContain(undefined);
  expect(["", "Europe/Atlantis", "+01:00", "-05", "Europe/Berlin\u0000", "../etc/passwd"].map((name) => TimeZone.find(name))).toEqual(
    Array.from({ length: 6 }, () => undefined),
  );
});

test("offsets change exactly at DST transitions", () => {
  expect(offsetAt("Europe/Berlin", "2027-10-31T00:59:59.999Z")).toBe(2);
  expect(offsetAt("Europe/Berlin", "2027-10-31T01:00:00Z")).toBe(1);
  expect(offsetAt("Asia/Kathmandu", "2027-10-31T01:00:00Z")).toBe(5.75);
  expect(offsetAt("America/St_Johns", "2027-07-01T00:00:00Z")).toBe(-2.5);
  expect(offsetAt("Australia/Lord_Howe", "2027-10-02T15:29:59Z")).toBe(10.5);
  expect(offsetAt("Australia/Lord_Howe", "2027-10-02T15:30:00Z")).toBe(11);
  expect(offsetAt("UTC", "2027-10-02T15:30:00Z")).toBe(0);
});

/** The lengths of days that do not have 24 hours, in years for which they are known. */
test("days have 23, 24 or 25 hours, or whatever the zone defines", () => {
  const oddDays = (name: string): string[] =>
    bucketsBetween("day", at("2027-01-02T00:00:00Z"), at("2027-12-31T00:00:00Z"), zone(name))
      .filter(({ fromMs, toMs }) => toMs - fromMs !== 24 * HOUR_MS)
      .map((day) => `${day.name} ${(day.toMs - day.fromMs) / HOUR_MS}`);
  expect(oddDays("Europe/Berlin")).toEqual(["2027-03-28 23", "2027-10-31 25"]);
  expect(oddDays("America/New_York")).toEqual(["2027-03-14 23", "2027-11-07 25"]);
  expect(oddDays("Australia/Lord_Howe")).toEqual(["2027-04-04 24.5", "2027-10-03 23.5"]);
  // In this zone, the clock goes from 24:00 to 1:00, and the day starts at 1:00.
  expect(oddDays("Africa/Cairo")).toEqual(["2027-04-30 23", "2027-10-28 25"]);
  expect(new Date(bucketAt("day", at("2027-04-30T12:00:00Z"), zone("Africa/Cairo")).fromMs).toISOString()).toBe("2027-04-29T22:00:00.000Z");
  expect(oddDays("Asia/Kathmandu")).toEqual([]);
});

test("omits a day that a zone skipped", () => {
  const days = bucketsBetween("day", at("2011-12-29T20:00:00Z"), at("2012-01-01T00:00:00Z"), zone("Pacific/Apia"));
  expect(days.map(({ name }) => name)).toEqual(["2011-12-29", "2011-12-31", "2012-01-01"]);
});

test("a repeated hour is two hours, and an interrupted one is short", () => {
  expect(hours("Europe/Berlin", "2027-10-30T23:00:00Z", "2027-10-31T02:00:00Z")).toEqual([
    "2027-10-31T01:00+02:00 60",
    "2027-10-31T02:00+02:00 60",
    "2027-10-31T02:00+01:00 60",
  ]);
  expect(hours("Europe/Berlin", "2027-03-28T00:00:00Z", "2027-03-28T02:00:00Z")).toEqual([
    "2027-03-28T01:00+01:00 60",
    "2027-03-28T03:00+02:00 60",
  ]);
  expect(hours("Australia/Lord_Howe", "2027-04-03T14:00:00Z", "2027-04-03T16:00:00Z")).toEqual([
    "2027-04-04T01:00+11:00 60",
    "2027-04-04T01:00+10:30 30",
    "2027-04-04T02:00+10:30 60",
  ]);
  expect(hours("Australia/Lord_Howe", "2027-10-02T15:00:00Z", "2027-10-02T16:10:00Z")).toEqual([
    "2027-10-03T01:00+10:30 60",
    "2027-10-03T02:00+11:00 30",
    "2027-10-03T03:00+11:00 60",
  ]);
  expect(hours("Asia/Kathmandu", "2027-10-02T15:20:00Z", "2027-10-02T15:30:00Z")).toEqual(["2027-10-02T21:00+05:45 60"]);
});

test("in every zone, days are contiguous and match the local calendar", () => {
  for (const name of Intl.supportedValuesOf("timeZone")) {
    const wall = new Intl.DateTimeFormat("sv-SE", { timeZone: name, dateStyle: "short" });
    const days = bucketsBetween("day", at("2027-01-01T00:00:00Z"), at("2027-12-31T00:00:00Z"), zone(name));
    const wrong = days.filter(
      (day, index) =>
        wall.format(day.fromMs) !== day.name ||
        wall.format(day.toMs - 1) !== day.name ||
        (index > 0 && days[index - 1]!.toMs !== day.fromMs),
    );
    expect([name, wrong.map((day) => day.name)]).toEqual([name, []]);
  }
});
