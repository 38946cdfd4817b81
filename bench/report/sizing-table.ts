import type { System } from "../systems/system.ts";
import { figures } from "./bar-picture.ts";
import { spread } from "./figures.ts";
import type { Part } from "./result.ts";

/** The columns after the number of processes, by part and figure. */
const COLUMNS = [
  ["small JSON", "perSecond", "requests per second"],
  ["small JSON", "cpu", "CPU per request, µs"],
  ["small JSON", "owner", "of it the owner process, µs"],
  ["streams", "streams", "concurrent streams"],
  ["memory at rest", "rest", "memory at rest, MiB"],
  ["small JSON", "rss", "memory under JSON, MiB"],
  ["streams", "rssMib", "memory with the streams, MiB"],
] as const;

/** A row for each number of processes, with medians, to be pasted into the docs. */
export function sizingTable(parts: readonly Part[], systems: readonly System[]): string {
  const head = ["processes", ...COLUMNS.map(([, , title]) => title), "throughput, to one process"];
  const medianOf = (part: string, id: string, system: string): number | null => {
    const figure = parts.find(({ name }) => name === part)?.figures.find((each) => each.id === id);
    return (figure && spread(figure, system)?.median) ?? null;
  };
  const one = systems.find(({ processes = 1 }) => processes === 1);
  const rows = systems.map(({ name, processes = 1 }) => {
    const cells = COLUMNS.map(([part, id]) => cell(medianOf(part, id, name)));
    const [rate, base] = [name, one?.name].map((each) => (each === undefined ? null : medianOf("small JSON", "perSecond", each)));
    return [String(processes), ...cells, rate && base ? `${(rate / base).toFixed(2)}×` : "–"];
  });
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function cell(value: number | null): string {
  if (value === null) return "–";
  return Number.isInteger(value) ? value.toLocaleString("en-US") : figures(value);
}
