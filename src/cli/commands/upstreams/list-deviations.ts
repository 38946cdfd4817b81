import { listCommand } from "../../list-command.ts";
import { UPSTREAM } from "./upstream-operand.ts";

interface DeviationView {
  readonly model: string;
  readonly deviation: string;
  readonly handling: "mended" | "counted";
  readonly answers: number;
}

export const listDeviations = listCommand<DeviationView>({
  summary: "Lists in what the answers of an upstream have parted from their format since the start.",
  details: "What is mended never reaches a caller. What is counted passes as it came. tollgate doctor tries a model now.",
  examples: ["upstreams deviations our-openai"],
  operands: [UPSTREAM],
  call: "GET /api/upstreams/{id}/deviations",
  columns: [
    { heading: "MODEL", cell: ({ model }) => model, isLong: true },
    { heading: "DEVIATION", cell: ({ deviation }) => deviation },
    { heading: "HANDLING", cell: ({ handling }) => handling },
    { heading: "ANSWERS", cell: ({ answers }) => answers.toLocaleString("en-US"), align: "right" },
  ],
});
