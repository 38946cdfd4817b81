import type { Outcome } from "../goals.ts";
import { line, logScale, picture, round, text, WIDTH } from "./svg.ts";

const [LEFT, RIGHT, TOP, ROW] = [270, WIDTH - 196, 70, 28];

/** The measured values as shares of their goals: left of the line a goal is reached. */
export function goalPicture(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ goal, measured, verdict }) =>
    measured ? [{ goal, measured, verdict, share: share(measured.median, goal.most) }] : [],
  );
  const most = Math.max(2, ...rows.map(({ share: value }) => value)) * 1.15;
  const at = logScale(1 / 8, most, LEFT, RIGHT);
  const bottom = TOP + rows.length * ROW;
  const ticks = [0.25, 0.5, 1, 2, 4, 8, 16].filter((value) => value <= most);
  const grid = ticks.map((value) =>
    [
      line(value === 1 ? "axis" : "grid", at(value), TOP - 12, at(value), bottom),
      text(at(value), TOP - 18, value === 1 ? "goal" : `${value}×`, "small", "middle"),
    ].join("\n"),
  );
  const dots = rows.map(({ goal, measured, verdict, share: value }, index) => {
    const y = TOP + index * ROW + ROW / 2;
    const kind = verdict.startsWith("yes") ? "met" : "missed";
    return [
      text(LEFT - 12, y + 5, `${goal.scenario} ${goal.says}`, "small", "end"),
      line("whisker", at(share(measured.ciLow, goal.most)), y, at(share(measured.ciHigh, goal.most)), y),
      `<circle class="${kind}" cx="${round(at(value))}" cy="${y}" r="5.5"/>`,
      text(RIGHT + 14, y + 5, `${goal.write(measured.median)} / ${goal.write(goal.most)}`, "small"),
    ].join("\n");
  });
  return picture(bottom + 16, "Goals, and what was measured", [...grid, ...dots].join("\n"));
}

/** Negative values, such as shrinking memory, are drawn at the left end. */
function share(value: number, most: number): number {
  return Math.max(1 / 8, value / most);
}
