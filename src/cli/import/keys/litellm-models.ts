import { isCovered } from "../../../models/catalog.ts";
import { isSet } from "./litellm-columns.ts";
import { modelsOf, type ImportReport } from "./import-plan.ts";
import { listIn, objectIn, textIn, type Row } from "./row-values.ts";
import type { SourceTables } from "./source-tables.ts";

/** Names that stand for several models. */
export interface ModelGroups {
  /** Names in lists of models: from `access_groups` of the models in the database. */
  readonly named: ReadonlyMap<string, readonly string[]>;
  /** Names in `access_group_ids`. */
  readonly byId: ReadonlyMap<string, readonly string[]>;
  readonly projects: ReadonlyMap<string, Row>;
}

export async function readModelGroups(tables: SourceTables): Promise<ModelGroups> {
  const named = new Map<string, string[]>();
  for (const row of await tables.read("LiteLLM_ProxyModelTable")) {
    const info = objectIn(row, "model_info");
    const model = textIn(info, "team_public_model_name") ?? textIn(row, "model_name");
    if (model !== null) for (const group of listIn(info, "access_groups")) named.set(group, [...(named.get(group) ?? []), model]);
  }
  const groups = await tables.read("LiteLLM_AccessGroupTable");
  const projects = await tables.read("LiteLLM_ProjectTable");
  return {
    named,
    byId: new Map(groups.map((row) => [textIn(row, "access_group_id") ?? "", listIn(row, "access_model_names")])),
    projects: new Map(projects.map((row) => [textIn(row, "project_id") ?? "", row])),
  };
}

/**
 * The models of a key, a team or a user: the models of its list, of the groups in that list, and of its access groups. An empty list means
 * all models.
 */
export function readModels(row: Row, groups: ModelGroups, subject: string, report: ImportReport): readonly string[] {
  const listed = listIn(row, "models");
  if (listed.includes("no-default-models"))
    report.add("`no-default-models` was imported as an allow-list without any model of yours", subject);
  if (listed.some((model) => model === "all-proxy-models" || model === "all-team-models")) return ["*"];
  if (listed.length === 0) return withinProject(["*"], row, groups, subject, report);
  const expanded = listed.flatMap((name) => groups.named.get(name) ?? [name]);
  if (listed.some((name) => groups.named.has(name)))
    report.add("access groups in lists of models became the models that they have now", subject);
  const models = [...new Set([...expanded, ...modelsOfAccessGroups(row, groups, subject, report)])];
  return withinProject(modelsOf(models, subject, report), row, groups, subject, report);
}

function modelsOfAccessGroups(row: Row, { byId }: ModelGroups, subject: string, report: ImportReport): readonly string[] {
  const ids = listIn(row, "access_group_ids");
  if (ids.length > 0) report.add("the models of access_group_ids were added to the list of models, as they are now", subject);
  if (ids.some((id) => !byId.has(id))) report.add("access groups that the source does not have were omitted", subject);
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The models of a key that its project also allows. */
function withinProject(
  models: readonly string[],
  row: Row,
  { projects }: ModelGroups,
  subject: string,
  report: ImportReport,
): readonly string[] {
  const id = textIn(row, "project_id");
  if (id === null) return models;
  const project = projects.get(id);
  const budget =
    project && ["budget_id", "model_rpm_limit", "model_tpm_limit", "object_permission_id"].some((column) => isSet(project[column]));
  report.add(
    `projects have no counterpart: keys got the models of their project${budget ? ", without the budget and limits of the project" : ""}`,
    subject,
  );
  const allowed = project ? listIn(project, "models") : [];
  if (allowed.length === 0 || allowed.includes("all-proxy-models") || allowed.includes("all-team-models")) return models;
  const within = models.includes("*") ? allowed : models.filter((model) => isCovered(allowed, model));
  return within.length === 0 ? modelsOf(["no-default-models"], subject, report) : modelsOf(within, subject, report);
}
