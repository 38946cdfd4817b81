import { join } from "node:path";
import { SETTINGS, type StorageConfig } from "../../../config.ts";
import type { MovedAccount, MoveReport } from "../../../main/moving/move-report.ts";
import { summarizeList } from "../../../lib/text/summarize-list.ts";
import { formatDollars } from "../../../money/money.ts";
import { formatCount, formatNumber } from "../../format/format-values.ts";
import { formatTable, type Column } from "../../format/table.ts";

type TableCount = readonly [name: string, rows: number];

const TABLES: readonly Column<TableCount>[] = [
  { heading: "TABLE", cell: ([name]) => name },
  { heading: "ROWS", cell: ([, rows]) => formatNumber(rows), align: "right" },
];

const ACCOUNTS: readonly Column<MovedAccount>[] = [
  { heading: "ACCOUNT", cell: ({ id }) => id, isLong: true },
  { heading: "ENTRIES", cell: ({ entries }) => formatNumber(entries), align: "right" },
  { heading: "CREDIT", cell: ({ creditNanos }) => formatDollars(creditNanos), align: "point" },
  { heading: "SPENT", cell: ({ spentNanos }) => formatDollars(spentNanos), align: "point" },
];

const MAX_ACCOUNTS = 20;

/** The report for programs. */
export function moveAsJson({ from, to, tables, accounts, keys, requestLog, exportsLeft }: MoveReport): object {
  return {
    from,
    to,
    tables: Object.fromEntries(tables),
    accounts: accounts.map(({ id, entries, creditNanos, spentNanos }) => {
      return { id, entries, credit: formatDollars(creditNanos), spent: formatDollars(spentNanos) };
    }),
    keys,
    request_log: requestLog ? { days: requestLog.days, requests: requestLog.requests, damaged_days: requestLog.damaged } : null,
    exports_left: exportsLeft,
  };
}

export function describeMove(report: MoveReport, config: StorageConfig, isToDatabase: boolean, width: number | undefined): string {
  const { from, to, tables, accounts, keys } = report;
  const shown = accounts.slice(0, MAX_ACCOUNTS);
  const more = accounts.length > shown.length ? `and ${formatCount(accounts.length - shown.length, "more account")}\n` : "";
  return [
    `Moved ${from} to ${to}.\n`,
    formatTable(TABLES, [...tables], width),
    `${formatTable(ACCOUNTS, shown, width)}${more}`,
    `Equal on both sides: every row of these tables, and balance and spending of ${formatCount(accounts.length, "account")} and ${formatCount(keys, "key")}. The auditor found no discrepancies on either side.\n`,
    describeLog(report),
    ...describeExports(report, isToDatabase),
    isToDatabase ? afterDatabase(from, config) : afterFolder(to),
  ].join("\n");
}

function describeLog({ requestLog }: MoveReport): string {
  if (!requestLog) return "The request log was left behind.\n";
  const { days, requests, damaged } = requestLog;
  const left = damaged.length === 0 ? "" : ` Days that could not be read were left behind: ${damaged.join(", ")}.`;
  return `Request log: ${formatCount(requests, "request")} of ${formatCount(days, "day")}.${left}\n`;
}

function describeExports({ from, exportsLeft }: MoveReport, isToDatabase: boolean): string[] {
  if (exportsLeft.length === 0) return [];
  const files = isToDatabase ? `, or take their files from ${join(from, "exports")}` : "";
  const left = `${formatCount(exportsLeft.length, "background export")} (${summarizeList(exportsLeft)})`;
  return [`Left behind, because exports are not moved: ${left}. Create them again with tollgate exports create${files}.\n`];
}

/** The secrets that every process of the database needs, and where they are stored now. The secrets are not printed. */
function afterDatabase(folder: string, { secret, hashSecret, operatorToken }: StorageConfig): string {
  const secrets = [
    [SETTINGS.secret, secret, "secret"],
    [SETTINGS.hashSecret, hashSecret, "hash-secret"],
    [SETTINGS.operatorToken, operatorToken, "operator-token"],
  ] as const;
  const lines = secrets.map(([variable, isSet, file]) =>
    isSet ? `# ${variable}: as it is set now` : `export ${variable}="$(cat '${join(folder, file)}')"`,
  );
  return `All processes of the database need the same secrets. Before the first start:

${lines.join("\n")}
export ${SETTINGS.databaseUrl}=...

${folder} is marked as moved: a gateway without ${SETTINGS.databaseUrl} does not start on it. Keep it as a backup.
`;
}

function afterFolder(folder: string): string {
  return `The secrets are not in the folder: keep ${SETTINGS.secret}, ${SETTINGS.hashSecret} and ${SETTINGS.operatorToken} set. To start with the folder:

unset ${SETTINGS.databaseUrl}
export ${SETTINGS.data}='${folder}'

The database is marked as moved: no gateway starts on it. Keep it as a backup.
`;
}
