import { ratio, spread } from "./figures.ts";
import type { Figure, Scenario } from "./result.ts";

/** The results of a scenario as text for a terminal. */
export function textTables({ id, title, parts, notes }: Scenario): string {
  const tables = parts.map(({ name, figures, voided, wanted, counted }) => {
    const head = `\n${id} ${title}: ${name} (${counted} of ${wanted} counted, ${voided.length} void)\n`;
    return head + figures.map(tableOf).join("");
  });
  return [...tables, ...notes.map((note) => `\n${note}\n`)].join("");
}

function tableOf(figure: Figure): string {
  const lines = Object.keys(figure.samples).map((system) => {
    const { median, low, high } = spread(figure, system)!;
    const toNginx = figure.id === "cpu" && system !== "nginx" ? ratio(figure, system, "nginx") : null;
    const times = toNginx ? `  ${toNginx.median.toFixed(2)}x nginx (${toNginx.ciLow.toFixed(2)}–${toNginx.ciHigh.toFixed(2)})` : "";
    return `    ${system.padEnd(12)} ${median.toFixed(1).padStart(10)} ${figure.unit} (${low.toFixed(1)}–${high.toFixed(1)})${times}\n`;
  });
  return `  ${figure.name}\n${lines.join("")}`;
}
