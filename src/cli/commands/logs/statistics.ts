import type { Quantiles, RequestStatistics, StatisticsRow } from "../../../../platform-client/types.ts";
import { formatDuration, formatTime, formatNumber } from "../../format/format-values.ts";
import { choice, momentAgo, text } from "../../options.ts";
import { terminalWidth } from "../../output.ts";
import { platformCommand, type Fields } from "../../platform-command.ts";
import { formatTable, type Column } from "../../format/table.ts";

export const showStatistics = platformCommand<RequestStatistics>({
  summary: "Show request statistics: outcomes, duration and time to first token, by hour or day.",
  details:
    "The default range is the last 30 days, or the last 48 hours with --by hour. Days and hours are in this machine's time zone, unless --zone names another. " +
    "DURATION and FIRST TOKEN are the 50th and 95th percentiles of completed requests.",
  examples: ["logs statistics", "logs statistics --by hour --since 12h", "logs statistics --by day --model gpt-4o --zone Europe/Berlin"],
  options: {
    by: choice("by", ["hour", "day"], "interval of each row (default: one row for the whole range)"),
    account: text("account", "only requests of this account", "ACCOUNT"),
    model: text("model", "only requests for this model, as the client named it", "MODEL"),
    zone: text("zone", "time zone of days and hours, such as Europe/Berlin (default: this machine's)", "ZONE"),
    since: momentAgo("from", "start of the range, by end time: 15m, 2h, 7d, or 2027-01-31"),
    until: momentAgo("to", "end of the range, exclusive"),
  },
  call: "GET /api/requests/statistics",
  complete: (fields: Fields) => ({ zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, ...fields }),
  print: describe,
});

const COLUMNS: readonly Column<StatisticsRow>[] = [
  { heading: "TIME", cell: ({ hour, day, is_partial: isPart }) => `${hour ?? day ?? "all"}${isPart ? " (partial)" : ""}` },
  { heading: "REQUESTS", cell: ({ requests }) => formatNumber(requests), align: "right" },
  { heading: "SUCCEEDED", cell: ({ succeeded }) => formatNumber(succeeded), align: "right" },
  { heading: "REJECTED", cell: ({ outcomes }) => formatNumber(outcomes.refused), align: "right" },
  { heading: "FAILED", cell: ({ outcomes }) => formatNumber(outcomes.failed), align: "right" },
  { heading: "DISCONNECTED", cell: ({ outcomes }) => formatNumber(outcomes.client_closed), align: "right" },
  { heading: "DURATION", cell: ({ duration_ms: times }) => formatQuantiles(times), align: "right" },
  { heading: "FIRST TOKEN", cell: ({ first_token_ms: times }) => formatQuantiles(times), align: "right" },
];

function describe({ data, total, retained_from: keptFrom }: RequestStatistics): string {
  const rows = data.length > 0 ? data : [{ ...total, is_partial: false }];
  const since = keptFrom === null ? "" : `The request log starts at ${formatTime(keptFrom)} UTC.\n`;
  return `${formatTable(COLUMNS, rows, terminalWidth())}${since}`;
}

function formatQuantiles(times: Quantiles | null): string {
  return times === null ? "" : `${formatDuration(times.p50)}, ${formatDuration(times.p95)}`;
}
