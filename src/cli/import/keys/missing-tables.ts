import { CommandFailed } from "../../command.ts";
import type { ImportReport } from "./import-plan.ts";
import { isSet } from "./litellm-columns.ts";
import type { Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

/** The tables that columns of keys and teams refer to. Without one, its keys would look as if their team or their budget was deleted. */
const REFERENCES: Readonly<Record<string, string>> = {
  team_id: "LiteLLM_TeamTable",
  user_id: "LiteLLM_UserTable",
  budget_id: "LiteLLM_BudgetTable",
  project_id: "LiteLLM_ProjectTable",
  access_group_ids: "LiteLLM_AccessGroupTable",
};

/** Tables that an import reads where they have rows. */
const OTHERS = [
  "LiteLLM_DeletedVerificationToken",
  "LiteLLM_DeprecatedVerificationToken",
  "LiteLLM_BudgetWindowSpend",
  "LiteLLM_ProxyModelTable",
  "LiteLLM_OrganizationTable",
  "LiteLLM_TeamMembership",
  "LiteLLM_EndUserTable",
];

/** Names all files that a folder of CSV files lacks: needed ones in an error, others in the report. */
export function checkTables(tables: SourceTables, rows: readonly Row[], report: ImportReport): void {
  if (!tables.missing) return;
  if (tables.missing(["LiteLLM_VerificationToken"]).length > 0)
    throw new CommandFailed("the folder has neither LiteLLM_VerificationToken.csv nor tokens.csv, which have the keys");
  const needed = Object.entries(REFERENCES).flatMap(([column, table]) => (rows.some((row) => isSet(row[column])) ? [table] : []));
  const missing = tables.missing(needed);
  if (missing.length > 0)
    throw new CommandFailed(`the folder lacks ${missing.join(", ")}, which its keys and teams refer to: export these tables, too`);
  for (const name of tables.missing(OTHERS)) report.add("files that are not in the folder were read as empty tables", name);
}
