import { isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from "yaml";
import type { ImportReport } from "./import-plan.ts";

/**
 * The text of a config file whose accounts have the IDs of this gateway. Without the models of accounts that were left: an account that was here
 * before could call the model of a team that has the same ID by chance.
 */
export function withAccounts(yaml: string, ending: string, left: ReadonlySet<string>, report: ImportReport): string {
  const document = parseDocument(yaml);
  const models = document.get("models");
  if (!isSeq(models)) return yaml;
  const omitted = new Set<unknown>();
  for (const model of models.items) {
    const accounts: unknown = isMap(model) ? model.get("accounts") : undefined;
    if (!isMap(model) || !isSeq(accounts)) continue;
    for (const account of accounts.items) if (isScalar(account)) account.value = `${String(account.value)}${ending}`;
    if (accounts.items.some((account) => isScalar(account) && left.has(String(account.value)))) omitted.add(model.get("id"));
  }
  for (const id of omitted) report.add("models of accounts that were left so were omitted from the config file", `model ${String(id)}`);
  removeModels(models, omitted);
  return document.toString({ lineWidth: 0 });
}

/** With the fallbacks to them. */
function removeModels(models: YAMLSeq, omitted: ReadonlySet<unknown>): void {
  models.items = models.items.filter((model) => !isMap(model) || !omitted.has(model.get("id")));
  for (const model of models.items) {
    const fallbacks: unknown = isMap(model) ? model.get("fallback_models") : undefined;
    if (!isMap(model) || !isSeq(fallbacks)) continue;
    fallbacks.items = fallbacks.items.filter((fallback) => !isMap(fallback) || !omitted.has(fallback.get("model")));
    if (fallbacks.items.length === 0) model.delete("fallback_models");
  }
}
