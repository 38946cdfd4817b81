import type { Quantiles, RequestStatistics, StatisticsRow } from "../../../../platform-client/types.ts";
import { formatDuration, formatTime, formatNumber } from "../../format-values.ts";
import { choice, momentAgo, text } from "../../options.ts";
import { terminalWidth } from "../../output.ts";
import { platformCommand, type Fields } from "../../platform-command.ts";
import { formatTable, type Column } from "../../table.ts";

export const showStatistics = platformCommand<RequestStatistics>({
  summary: "Adds up how requests came out and how long they took, by hour or day.",
  details:
    "Without --since and --until it is of the last 30 days, by hour of the last 48 hours. Days and hours are those of this machine's time zone, unless --zone names another. " +
    "TOOK and FIRST TOKEN are of answers that came to their end: half of them were as fast, and 95 of 100.",
  examples: ["logs statistics", "logs statistics --by hour --since 12h", "logs statistics --by day --model gpt-4o --zone Europe/Berlin"],
  options: {
    by: choice("by", ["hour", "day"], "what each row is about; all of it in one, if not given"),
    account: text("account", "those of one account", "ACCOUNT"),
    model: text("model", "those for one model, as the caller named it", "MODEL"),
    zone: text("zone", "whose days and hours: Europe/Berlin; this machine's, if not given", "ZONE"),
    since: momentAgo("from", "those that ended since then: 15m, 2h, 7d, or 2027-01-31"),
    until: momentAgo("to", "those that ended before then"),
  },
  call: "GET /api/requests/statistics",
  complete: (fields: Fields) => ({ zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, ...fields }),
  print: describe,
});

const COLUMNS: readonly Column<StatisticsRow>[] = [
  { heading: "WHEN", cell: ({ hour, day, is_partial: isPart }) => `${hour ?? day ?? "all"}${isPart ? " (part)" : ""}` },
  { heading: "REQUESTS", cell: ({ requests }) => formatNumber(requests), align: "right" },
  { heading: "SUCCEEDED", cell: ({ succeeded }) => formatNumber(succeeded), align: "right" },
  { heading: "REFUSED", cell: ({ outcomes }) => formatNumber(outcomes.refused), align: "right" },
  { heading: "FAILED", cell: ({ outcomes }) => formatNumber(outcomes.failed), align: "right" },
  { heading: "LEFT", cell: ({ outcomes }) => formatNumber(outcomes.left), align: "right" },
  { heading: "TOOK", cell: ({ duration_ms: times }) => formatQuantiles(times), align: "right" },
  { heading: "FIRST TOKEN", cell: ({ first_token_ms: times }) => formatQuantiles(times), align: "right" },
];

function describe({ data, total, kept_from: keptFrom }: RequestStatistics): string {
  const rows = data.length > 0 ? data : [{ ...total, is_partial: false }];
  const since = keptFrom === null ? "" : `Requests are kept since ${formatTime(keptFrom)} UTC.\n`;
  return `${formatTable(COLUMNS, rows, terminalWidth())}${since}`;
}

function formatQuantiles(times: Quantiles | null): string {
  return times === null ? "" : `${formatDuration(times.p50)}, ${formatDuration(times.p95)}`;
}
