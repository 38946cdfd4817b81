import { describe, expect, test } from "bun:test";
import { dayAfter, daysBetween, ZoneDays } from "./zone-days.ts";

const HOUR_MS = 60 * 60 * 1000;

describe("a day starts when the calendar of its time zone turns", () => {
  const cases: [string, string, string, number][] = [
    ["UTC", "2027-03-28", "2027-03-28T00:00:00Z", 24],
    ["Europe/Berlin", "2027-03-28", "2027-03-27T23:00:00Z", 23],
    ["Europe/Berlin", "2027-10-31", "2027-10-30T22:00:00Z", 25],
    ["America/Los_Angeles", "2027-01-31", "2027-01-31T08:00:00Z", 24],
    ["Asia/Kathmandu", "2027-01-31", "2027-01-30T18:15:00Z", 24],
    ["Australia/Lord_Howe", "2027-10-03", "2027-10-02T13:30:00Z", 23.5],
    ["Pacific/Kiritimati", "2027-01-01", "2026-12-31T10:00:00Z", 24],
    // In Beirut, clocks are put forward at midnight, so that the day begins at one o'clock.
    ["Asia/Beirut", "2027-03-28", "2027-03-27T22:00:00Z", 23],
  ];
  test.each(cases)("%s, %s", (zone, day, start, hours) => {
    const days = ZoneDays.find(zone)!;
    const startMs = days.startOf(day);
    expect(new Date(startMs)).toEqual(new Date(start));
    expect((days.startOf(dayAfter(day)) - startMs) / HOUR_MS).toBe(hours);
    expect([days.dayOf(startMs - 1) < day, days.dayOf(startMs)]).toEqual([true, day]);
  });
});

test("days are contiguous through every clock change", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo", "Asia/Beirut"]) {
    const days = ZoneDays.find(zone)!;
    for (const day of daysBetween("2026-12-31", "2027-12-31")) {
      expect([zone, days.dayOf(days.startOf(day)), days.dayOf(days.startOf(dayAfter(day)) - 1)]).toEqual([zone, day, day]);
    }
  }
});

test("the day of a timestamp does not depend on earlier calls", () => {
  const days = ZoneDays.find("Europe/Berlin")!;
  const [before, after] = ["2027-03-27T22:59:59.999Z", "2027-03-27T23:00:00Z"].map((time) => Date.parse(time)) as [number, number];
  expect([before, after, before, after].map((ms) => days.dayOf(ms))).toEqual(["2027-03-27", "2027-03-28", "2027-03-27", "2027-03-28"]);
});

test("unknown time zones are rejected", () => {
  for (const name of ["Mars/Olympus", "", "Europe/Berlin; drop", "+01:00"]) expect(ZoneDays.find(name)).toBeUndefined();
});
