import { loadStorageConfig } from "../../../config.ts";
import type { Check, PendingMigration, PreflightReport } from "../../../main/preflight/check.ts";
import { CommandFailed, type Command } from "../../command.ts";
import { formatCount } from "../../format/format-values.ts";
import { asJson, printable, terminalWidth, writeStdout } from "../../output.ts";
import { formatTable, type Column } from "../../format/table.ts";

export const runPreflight: Command = {
  summary: "Check the configured storage before starting this version.",
  details: `It examines the database of TOLLGATE_DATABASE_URL, or the data folder, and this machine: reachability, server version, privileges, pending
migrations, secrets, clock, connection limit and kernel settings. Run it with the environment of the gateway, before a start or an upgrade; it
changes nothing. Exit code 1 if a start would fail.`,
  examples: ["preflight", "preflight --processes auto", "preflight --json"],
  operands: [],
  options: {
    processes: { meaning: "number of gateway processes of the start, or auto (default: TOLLGATE_PROCESSES, else 1)", value: "N" },
  },
  async run({ json, options }) {
    // Loaded lazily: the other commands are clients and need no stores in memory.
    const { hasFailed, preflight } = await import("../../../main/preflight/preflight.ts");
    const report = await preflight(loadStorageConfig(undefined, { processes: options["processes"] }));
    const { storage, checks, migrations } = report;
    const pending = migrations.map(({ name, isRolling, locks }) => ({ name, rolling: isRolling, locks }));
    if (json) await writeStdout(asJson({ storage, ok: !hasFailed(report), checks, pending_migrations: pending }));
    else await writeStdout(printable(describeReport(report, terminalWidth())));
    const count = checks.filter(({ status }) => status === "failed").length;
    if (count > 0) throw new CommandFailed(`${formatCount(count, "check")} failed`, { problem: { code: "preflight_failed" } });
  },
};

const CHECKS: readonly Column<Check>[] = [
  { heading: "CHECK", cell: ({ name }) => name },
  { heading: "STATUS", cell: ({ status }) => status },
  { heading: "DETAIL", cell: ({ detail }) => detail, isProse: true },
];

const MIGRATIONS: readonly Column<PendingMigration>[] = [
  { heading: "PENDING MIGRATION", cell: ({ name }) => name },
  { heading: "ROLLING UPGRADE", cell: ({ isRolling }) => (isRolling ? "yes" : "no") },
  { heading: "LOCKS", cell: ({ locks }) => locks, isProse: true },
];

function describeReport({ storage, checks, migrations }: PreflightReport, width: number | undefined): string {
  const pending = migrations.length === 0 ? "" : `\n${formatTable(MIGRATIONS, migrations, width)}`;
  return `Storage: ${storage}\n\n${formatTable(CHECKS, checks, width)}${pending}`;
}
