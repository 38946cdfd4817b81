import { expect, test } from "bun:test";
import type { UsagePage, UsageRow } from "../../../../platform-client/types.ts";
import { drawUsage } from "./usage-chart.ts";

function row(names: Partial<UsageRow>, cost: string, requests = 1): UsageRow {
  const tokens = { prompt_tokens: 0, cached_tokens: 0, cache_write_tokens: 0, completion_tokens: 0, reasoning_tokens: 0 };
  return { ...names, ...tokens, requests, failed: 0, cost, uncharged: "0.00" };
}

/** Three days and a half around the end of summer time in Berlin. */
function page(data: readonly UsageRow[]): UsagePage {
  const cost = String(data.reduce((sum, each) => sum + Number(each.cost), 0));
  return {
    data,
    next: null,
    zone: "Europe/Berlin",
    from: "2027-10-29T22:00:00.000Z",
    to: "2027-11-02T11:00:00.000Z",
    total: row({}, cost),
  };
}

const barOf = (line: string): string => /▕(\S*)/.exec(line)![1]!;
const linesOf = (drawn: string): string[] => drawn.split("\n").filter((line) => line.includes("▕"));

test("every day has a bar, small amounts are visible, and a partial day is marked", () => {
  const drawn = drawUsage(
    page([row({ day: "2027-10-30" }, "10.00"), row({ day: "2027-11-01" }, "0.001"), row({ day: "2027-11-02", is_partial: true }, "5")]),
    ["day"],
    60,
  );
  const lines = linesOf(drawn);
  expect(drawn).toStartWith("Dollars by day\n\n2027-10-30 ▕█");
  expect(lines.map((line) => line.slice(0, 10))).toEqual(["2027-10-30", "2027-10-31", "2027-11-01", "2027-11-02"]);
  const [full, none, little, half] = lines.map(barOf) as [string, string, string, string];
  expect([none, little]).toEqual(["", "▏"]);
  expect(full).toBe("█".repeat(full.length));
  expect(Math.abs(half.length - full.length / 2)).toBeLessThanOrEqual(1);
  expect(lines.map((line) => /[<\d.]+(?: \(partial\))?$/.exec(line)![0])).toEqual(["10.00", "0", "<0.01", "5.00 (partial)"]);
});

test("it fits the terminal, with wide characters and narrow widths, and its numbers are right-aligned", () => {
  const models = ["a-model-with-a-name-that-goes-on-and-on-and-on-for-long", "東京の大きな言語モデルです", "m"];
  const data = models.flatMap((model, at) => [
    row({ day: "2027-10-30", model }, `${at + 1}.5`),
    row({ day: "2027-11-01", model }, `${100 * at}`),
  ]);
  for (const width of [24, 40, 59, 60, 80, 200]) {
    for (const by of [["day"], ["day", "model"], ["model"], ["model", "day"]] as const) {
      const drawn = drawUsage(page(data), by, width);
      expect([width, by, drawn.split("\n").filter((line) => Bun.stringWidth(line) > width)]).toEqual([width, by, []]);
      const ends = linesOf(drawn).map((line) => Bun.stringWidth(line.replace(" (partial)", "")));
      expect(new Set(ends).size).toBe(1);
    }
  }
});

test("of two groups the largest series are distinct, the rest is one series, and the parts add up to the bar", () => {
  const data = Array.from({ length: 9 }, (_, at) => row({ day: "2027-10-30", model: `model-${at}` }, `${10 - at}`));
  const drawn = drawUsage(page(data), ["day", "model"], 80);
  const [bar] = linesOf(drawn).map(barOf);
  expect(bar).toMatch(/^█+▓+▒+░+·+$/);
  expect(bar!.length).toBe(barOf(linesOf(drawUsage(page([row({ day: "2027-10-30" }, "54")]), ["day"], 80))[0]!).length);
  const key = drawn.split("\n").filter((line) => /^(██|▓▓|▒▒|░░|··) /.test(line));
  expect(key.map((line) => line.split(/ {2,}/).slice(1))).toEqual([
    ["model-0", "10.00"],
    ["model-1", "9.00"],
    ["model-2", "8.00"],
    ["model-3", "7.00"],
    ["(others)", "20.00"],
  ]);
});

test("partial days are marked in any range", () => {
  // The range of the report ends in the future.
  const of = { ...page([row({ day: "2027-11-02", is_partial: true }, "5")]), to: "2027-11-03T23:00:00.000Z" };
  expect(linesOf(drawUsage(of, ["day"], 80)).map((line) => line.endsWith("(partial)"))).toEqual([false, false, false, true, false]);
});

test("long runs of hours without usage are one line, and a chart with too many lines is rejected", () => {
  const of = (hours: readonly string[]): UsagePage => page(hours.map((hour) => row({ hour }, "1")));
  const drawn = drawUsage(of(["2027-10-30T10:00+02:00", "2027-10-30T14:00+02:00", "2027-11-02T11:00+01:00"]), ["hour"], 80);
  expect(
    drawn
      .split("\n")
      .slice(2, -1)
      .map((line) => line.replace(/ ▕.*/, "")),
  ).toEqual([
    "… 10 hours without requests",
    "2027-10-30T10:00",
    "2027-10-30T11:00",
    "2027-10-30T12:00",
    "2027-10-30T13:00",
    "2027-10-30T14:00",
    "… 69 hours without requests",
    "2027-11-02T11:00",
  ]);
  const days = Array.from({ length: 201 }, (_, at) => new Date(Date.parse("2027-01-01T00:00:00Z") + at * 86_400_000).toISOString());
  const long = { ...page(days.map((day) => row({ day: day.slice(0, 10) }, "1"))), zone: "UTC", from: days[0]!, to: days.at(-1)! };
  expect(() => drawUsage({ ...long, to: "2027-07-21T00:00:00.000Z" }, ["day"], 80)).toThrow("201 lines: narrow the range with --since");
  expect(linesOf(drawUsage(long, ["day"], 80)).length).toBe(200);
});

test("items without usage are omitted, and keys are shown by name", () => {
  const failed = row({ day: "2027-10-30", upstream: null }, "0.00", 0);
  const drawn = drawUsage(page([row({ day: "2027-10-30", upstream: "here" }, "1"), failed]), ["day", "upstream"], 80);
  expect([drawn.includes("here"), drawn.includes("(none)")]).toEqual([true, false]);
  expect(drawUsage(page([row({ upstream: "here" }, "1"), failed]), ["upstream"], 80)).not.toContain("(none)");
  const keys = [row({ key: "1", key_name: "app" }, "4"), row({ key: "2", key_name: "job" }, "3"), row({ key: "3", key_name: "job" }, "2")];
  const unnamed = row({ key: "4", key_name: null }, "1");
  const labels = linesOf(drawUsage(page([...keys, unnamed]), ["key"], 80)).map((line) => line.replace(/ +▕.*/, ""));
  expect(labels).toEqual(["app", "job (2)", "job (3)", "4"]);
});

test("an hour that is repeated by a clock change has two bars", () => {
  const twice = [row({ hour: "2027-10-31T02:00+02:00" }, "1"), row({ hour: "2027-10-31T02:00+01:00" }, "1")];
  const of = { ...page(twice), from: "2027-10-30T23:00:00.000Z", to: "2027-10-31T03:00:00.000Z" };
  expect(linesOf(drawUsage(of, ["hour"], 80)).map((line) => line.split(" ")[0]!)).toEqual([
    "2027-10-31T01:00+02:00",
    "2027-10-31T02:00+02:00",
    "2027-10-31T02:00+01:00",
    "2027-10-31T03:00+01:00",
  ]);
});

test("without prices the bars are requests, largest first, with the smallest combined", () => {
  const data = Array.from({ length: 30 }, (_, at) => row({ model: `model-${String(at).padStart(2, "0")}` }, "0.00", at + 1));
  const lines = linesOf(drawUsage(page(data), ["model"], 80));
  expect(drawUsage(page(data), ["model"], 80)).toStartWith("Requests by model\n");
  expect([lines.length, lines[0], lines[19]]).toEqual([
    20,
    expect.stringMatching(/^model-29 .* 30$/) as string,
    expect.stringMatching(/^11 others .* 66$/) as string,
  ]);
  expect(drawUsage(page([]), ["model"], 80)).toBe("Requests by model\n\nNo usage.\n");
});
