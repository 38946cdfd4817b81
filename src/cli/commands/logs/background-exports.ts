import type { RequestExport, RequestExportList } from "../../../../platform-client/types.ts";
import type { Command, Description, Operand } from "../../command.ts";
import { formatDetails } from "../../format/format-details.ts";
import { formatBytes, formatNumber, formatTime } from "../../format/format-values.ts";
import { formatTable, type Column } from "../../format/table.ts";
import { choice } from "../../options.ts";
import { terminalWidth } from "../../output.ts";
import { streamPlatform } from "../../platform-client.ts";
import { platformCommand, withOptionNames } from "../../platform-command.ts";
import { writeExport } from "../../write-export.ts";
import { FILTER_OPTIONS, withErrors } from "./logs.ts";

const EXPORT: Operand = { name: "EXPORT", meaning: "export ID, as shown by exports list" };
const ID = "exp_2kQ8sLm2XyZ14fQ8sLm2Xy";

export const createExport = platformCommand<RequestExport>({
  summary: "Export matching requests in the background, to a file that can be downloaded for a day.",
  details: "logs export prints the same at once. Requests that end after the start are not included.",
  examples: ["exports create --since 7d", "exports create --format jsonl --account default --errors"],
  options: { format: choice("format", ["csv", "jsonl"], "format of the file (default: csv)"), ...FILTER_OPTIONS },
  call: "POST /api/exports",
  complete: withErrors,
  print: ({ id }) => `Export ${id} is running. Show its progress with: exports show ${id}\n`,
});

const COLUMNS: readonly Column<RequestExport>[] = [
  { heading: "ID", cell: ({ id }) => id },
  { heading: "STARTED (UTC)", cell: (each) => formatTime(each.created_at) },
  { heading: "STATE", cell: ({ state }) => state },
  { heading: "REQUESTS", cell: formatProgress, align: "right" },
  { heading: "SIZE", cell: ({ bytes }) => (bytes === 0 ? "" : formatBytes(bytes)), align: "right" },
  { heading: "FORMAT", cell: ({ format }) => format },
  { heading: "FILTERS", cell: formatFilters, isLong: true },
  { heading: "ERROR", cell: ({ error }) => error ?? "", isProse: true },
];

export const listExports = platformCommand<RequestExportList>({
  summary: "List your background exports, newest first.",
  examples: ["exports list"],
  call: "GET /api/exports",
  print: ({ data }) => formatTable(COLUMNS, data, terminalWidth()),
});

export const showExport = platformCommand<RequestExport>({
  summary: "Show the progress of a background export.",
  examples: [`exports show ${ID}`],
  operands: [EXPORT],
  call: "GET /api/exports/{id}",
  print: (shown) =>
    formatDetails([
      ["ID", shown.id],
      ["State", shown.state],
      ...(shown.error === null ? [] : [["Error", shown.error]]),
      ["Requests", formatProgress(shown)],
      ["Size", formatBytes(shown.bytes)],
      ["Format", shown.format],
      ["Filters", formatFilters(shown) || "none"],
      ["Started", formatTime(shown.created_at)],
      ...(shown.ended_at === null ? [] : [["Ended", formatTime(shown.ended_at)]]),
      ["Expires", formatTime(shown.expires_at)],
    ]),
});

const DOWNLOAD: Description = {
  summary: "Download the file of a background export that is done.",
  details: "Exit code 1 if the download is incomplete.",
  examples: [`exports download ${ID} > requests.csv`],
  operands: [EXPORT],
  options: {},
  call: "GET /api/exports/{id}/download",
};

export const downloadExport: Command = {
  ...DOWNLOAD,
  async run({ operands }) {
    const path = `/api/exports/${encodeURIComponent(operands[0]!)}/download`;
    await writeExport(await withOptionNames(DOWNLOAD, () => streamPlatform({ method: "GET", path }), operands));
  },
};

export const cancelExport = platformCommand<RequestExport>({
  summary: "Cancel a background export. An export that has ended stays unchanged.",
  examples: [`exports cancel ${ID}`],
  operands: [EXPORT],
  call: "POST /api/exports/{id}/cancel",
  print: ({ id, state }) => `Export ${id} is ${state}.\n`,
});

export const removeExport = platformCommand<RequestExport>({
  summary: "Remove a background export with its file. If it is running, it stops.",
  examples: [`exports remove ${ID}`],
  operands: [EXPORT],
  call: "DELETE /api/exports/{id}",
  print: ({ id }) => `Export ${id} is removed.\n`,
});

function formatProgress({ rows, total, state }: RequestExport): string {
  return state === "running" && total !== null ? `${formatNumber(rows)} of ${formatNumber(total)}` : formatNumber(rows);
}

function formatFilters({ filters }: RequestExport): string {
  return Object.entries(filters)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
