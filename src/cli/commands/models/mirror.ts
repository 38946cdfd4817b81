import type { MirrorReport } from "../../../../platform-client/types.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatNumber, formatTime } from "../../format/format-values.ts";
import { momentAgo } from "../../options.ts";
import { platformCommand } from "../../platform-command.ts";
import { MODEL } from "./models.ts";

export const showMirror = platformCommand<MirrorReport>({
  summary: "Compare the responses of a model's mirror with its callers' responses.",
  details: `Medians are the mirror's value divided by the caller's: 2 means twice as many tokens, or twice as slow. Requests that another mirror of
the model has received before are not counted.`,
  examples: ["models mirror fast-chat", "models mirror fast-chat --since 7d"],
  operands: [MODEL],
  options: { since: momentAgo("since", "start of the range: 15m, 2h, 7d, or 2027-01-31 (default: 24 hours ago)") },
  call: "GET /api/models/{id}/mirror",
  print: describe,
});

function describe(report: MirrorReport): string {
  const { model, since, requests, finished } = report;
  return formatDetails([
    ["Model", model],
    ["Mirrored requests", `${formatNumber(requests)} since ${formatTime(since)} UTC`],
    ["Same status", share(report.same_status, requests)],
    ["Same finish reason", share(report.same_finish_reason, finished)],
    ["Prompt tokens", ratio(report.prompt_token_ratio)],
    ["Completion tokens", ratio(report.completion_token_ratio)],
    ["Time to first byte", ratio(report.first_byte_ratio)],
    ["Duration", ratio(report.duration_ratio)],
  ]);
}

function share(part: number, whole: number): string {
  if (whole === 0) return "unknown";
  return `${((part / whole) * 100).toFixed(1)} % (${formatNumber(part)} of ${formatNumber(whole)})`;
}

function ratio(value: number | null): string {
  return value === null ? "unknown" : `${value.toFixed(2)} × the caller's (median)`;
}
