import { expect, test } from "bun:test";
import { tollgateWith } from "../systems/tollgate.ts";
import type { Figure, Part } from "./result.ts";
import { sizingTable } from "./sizing-table.ts";

function partOf(name: string, figures: Record<string, Record<string, number[]>>): Part {
  const list = Object.entries(figures).map(([id, samples]): Figure => ({ id, name: id, unit: "", samples }));
  return { name, figures: list, voided: [], counted: 3, wanted: 3, rounds: [] };
}

const PARTS = [
  partOf("small JSON", {
    perSecond: { nginx: [50_000], tollgate: [6000, 6100, 5900], "tollgate-2": [10_800, 10_200, 11_000] },
    cpu: { nginx: [20], tollgate: [164], "tollgate-2": [190.5] },
    owner: { "tollgate-2": [27.31] },
    rss: { nginx: [24], tollgate: [122], "tollgate-2": [260] },
  }),
  partOf("streams", { streams: { tollgate: [1000], "tollgate-2": [2000] }, rssMib: { tollgate: [130], "tollgate-2": [281.4] } }),
  partOf("memory at rest", { rest: { tollgate: [56], "tollgate-2": [160] } }),
];

test("has a row for each number of processes, with medians and the throughput beside one process", () => {
  const [head, , ...rows] = sizingTable(PARTS, [1, 2].map(tollgateWith)).split("\n");
  expect(head).toStartWith("| processes | requests per second | CPU per request, µs | of it the owner process, µs |");
  expect(rows).toEqual([
    "| 1 | 6,000 | 164 | – | 1,000 | 56 | 122 | 130 | 1.00× |",
    "| 2 | 10,800 | 191 | 27.3 | 2,000 | 160 | 260 | 281 | 1.80× |",
  ]);
});

test("leaves out what was not measured", () => {
  const [row] = sizingTable([], [tollgateWith(4)])
    .split("\n")
    .slice(2);
  expect(row).toBe("| 4 | – | – | – | – | – | – | – | – |");
});
