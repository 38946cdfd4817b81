import { describe, expect, test } from "bun:test";
import { outcomes } from "../goals.ts";
import { barPicture } from "./bar-picture.ts";
import { goalPicture } from "./goal-picture.ts";
import { resultsPage } from "./markdown.ts";
import type { Figure, Result } from "./result.ts";

const CPU: Figure = {
  id: "cpu",
  name: "CPU per request",
  unit: "µs",
  samples: { nginx: [20, 21, 20], tollgate: [70, 72, 71], portkey: [2300, 2200, 2250] },
};

function resultOf(figure: Figure): Result {
  const part = { name: "small JSON", figures: [figure], voided: ["nginx was 20 % off its median"], counted: 3, wanted: 3, rounds: [] };
  return {
    id: "S1",
    title: "Small JSON",
    load: "A question.",
    parts: [part],
    notes: [],
    date: "2026-11-15T12:00:00.000Z",
    commit: "abc",
    machine: { CPU: "one" },
    versions: { nginx: "nginx/1" },
    leftOut: ["litellm: litellm is not installed"],
    gate: ["answers had the upstream's bytes"],
  };
}

describe("RESULTS.md", () => {
  const page = resultsPage([resultOf(CPU)], [{ file: "goals.svg", title: "Goals" }]);

  test("shows each goal with its measurement, the value of nginx in the same rounds, and whether it is reached", () => {
    expect(page).toContain("| S1 | CPU per request, to nginx | ≤ 4.00× | 3.50× (3.43× to 3.55× in 3) | yes |");
    expect(page).toMatch(/\| S1 \| CPU per request, to Portkey \| ≥ 15\.0× less \| 3\d\.\d× less \(.*\) \| yes \|/);
    expect(page).toContain("| S9 | cold start to the first answer | ≤ 200 ms | – | not measured |");
  });

  test("lists every system, lowest value first, with its ratio to nginx", () => {
    const rows = page.split("\n").filter((line) => /^\| (nginx|\*\*tollgate|portkey).*×?/.test(line) && line.includes("–"));
    expect(rows.map((row) => row.split(" ")[1])).toEqual(["nginx", "**tollgate**", "portkey"]);
    expect(rows[1]).toContain("71.0 (70.5–71.5), 3.50× nginx");
  });

  test("lists discarded rounds, checks and omitted scenarios", () => {
    expect(page).toContain("3 rounds counted, 1 were void: 1 × nginx was 20 % off its median.");
    expect(page).toContain("- answers had the upstream's bytes");
    expect(page).toContain("- litellm: litellm is not installed (S1)");
    expect(page).toContain("![Goals](results/goals.svg)");
  });
});

test("lists each machine with its scenarios, and each system with version and configuration", () => {
  const older = { ...resultOf(CPU), settings: { nginx: "One worker." } };
  const newer = { ...resultOf(CPU), id: "P1", date: "2026-11-16T12:00:00.000Z", machine: { CPU: "two" }, versions: { nginx: "nginx/2" } };
  const page = resultsPage([older, newer], []);
  expect(page).toContain("S1:\n\n|  |  |\n|---|---|\n| CPU | one |");
  expect(page).toContain("P1:\n\n|  |  |\n|---|---|\n| CPU | two |");
  expect(page).toContain("| nginx | nginx/2 | One worker. |");
});

test("says how busy a shared machine was", () => {
  const result = resultOf(CPU);
  const shared = { ...result, parts: [{ ...result.parts[0]!, foreign: 0.42 }] };
  expect(resultsPage([shared], [])).toContain("other processes used 42 % of its cores at the same time (median of 3 rounds)");
  expect(resultsPage([result], [])).not.toContain("shared machine");
});

function verdictWith(tollgate: number[]): string {
  const result = resultOf({ ...CPU, samples: { nginx: [20, 20, 20], tollgate } });
  return outcomes([result]).find(({ goal }) => goal.to === "nginx")!.verdict;
}

function pageOf(rounds: number): string {
  return resultsPage([resultOf({ ...CPU, samples: { nginx: Array(rounds).fill(20), tollgate: Array(rounds).fill(70) } })], []);
}

test("shows the number of rounds", () => {
  expect(pageOf(1)).toContain("| 3.50× (once) |");
  expect(pageOf(9)).toContain("| 3.50× (95 %: 3.50× to 3.50×) |");
});

test("reports no goal as reached with too few rounds", () => {
  const result = resultOf(CPU);
  const short = { ...result, parts: [{ ...result.parts[0]!, wanted: 4 }] };
  expect(outcomes([short]).find(({ goal }) => goal.to === "nginx")!.verdict).toBe("too few rounds counted");
  expect(resultsPage([short], [])).toContain("4 were wanted: the figures cannot be relied on.");
});

test("a goal is missed where the median is above it, and reached within the spread where only the interval is", () => {
  expect(verdictWith([70, 79, 90])).toBe("yes, within the spread");
  expect(verdictWith([81, 82, 90])).toBe("no");
});

test("charts show every measured system and goal", () => {
  const bars = barPicture(CPU, "CPU <per> request");
  for (const words of ["nginx", "tollgate", "portkey", "CPU &lt;per&gt; request", "2,250 µs"]) expect(bars).toContain(words);
  const goals = goalPicture(outcomes([resultOf(CPU)]));
  expect(goals).toContain("3.50× / 4.00×");
  expect(goals).not.toContain("cold start");
});
