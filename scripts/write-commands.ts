/** Writes the list of commands into docs/command-line.md. A test fails when it is out of date. */
import type { Command } from "../src/cli/command.ts";
import { COMMANDS } from "../src/cli/commands.ts";
import { fullUsageOf, groupOf } from "../src/cli/help.ts";

const FILE = new URL("../docs/command-line.md", import.meta.url);
export const HEADING = "## Command reference\n";

/** A row per command, in a table per group. */
export function commandTables(): string {
  const groups = Map.groupBy(Object.entries(COMMANDS), ([name]) => groupOf(name) || "General");
  const tables = [...groups].map(
    ([group, members]) => `\n### ${group}\n\n| Command | Description |\n|---|---|\n${members.map(rowOf).join("")}`,
  );
  return tables.join("");
}

function rowOf([name, command]: [string, Command]): string {
  return `| \`${fullUsageOf(name, command).replaceAll("|", "\\|")}\` | ${command.summary} |\n`;
}

if (import.meta.main) {
  const [before] = (await Bun.file(FILE).text()).split(HEADING);
  await Bun.write(FILE, `${before}${HEADING}${commandTables()}`);
}
