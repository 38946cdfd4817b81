import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outcomes } from "../goals.ts";
import { barPicture } from "./bar-picture.ts";
import { goalPicture } from "./goal-picture.ts";
import { resultsPage } from "./markdown.ts";
import type { Figure, Result } from "./result.ts";
import { keptResults } from "./results-folder.ts";

const BARS = [
  { scenario: "S1", file: "cpu-per-request.svg", title: "CPU per request, small JSON (logarithmic)" },
  { scenario: "S5", file: "cpu-per-chunk.svg", title: "CPU per chunk of 60 streams (logarithmic)" },
] as const;

/** Draws the charts and writes RESULTS.md, from the stored results. */
export function writeResults(base: string): void {
  const results = keptResults(base);
  mkdirSync(join(base, "results"), { recursive: true });
  const pictures: { file: string; title: string }[] = [];
  function draw(file: string, title: string, svg: string): void {
    writeFileSync(join(base, "results", file), svg);
    pictures.push({ file, title });
  }
  draw("goals.svg", "Goals, and what was measured", goalPicture(outcomes(results)));
  for (const { scenario, file, title } of BARS) {
    const figure = cpuOf(results, scenario);
    if (figure) draw(file, title, barPicture(figure, title));
  }
  writeFileSync(join(base, "RESULTS.md"), resultsPage(results, pictures));
}

function cpuOf(results: readonly Result[], scenario: string): Figure | undefined {
  return results.find(({ id }) => id === scenario)?.parts[0]?.figures.find(({ id }) => id === "cpu");
}
