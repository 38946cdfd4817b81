import { stringify } from "yaml";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { DeclaredRoute } from "../../../models/declared-route.ts";
import { whyNotSetting } from "./reasons.ts";
import { asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

/**
 * The routes that replace `fallbacks`, for the operator to add. They are not added automatically: callers pay the price of the model, and a
 * fallback may cost more.
 */
export function explainFallbacks(fallbacks: YamlNode, models: readonly DeclaredModel[]): Unsupported[] {
  const named = (fallbacks.items ?? []).flatMap((item) => [...(item.fields?.values() ?? [])]);
  if (named.length === 0) return [asUnsupported(fallbacks, whyNotSetting("fallbacks"))];
  return named.map((each) => asUnsupported(each, adviceFor(each, models)));
}

function adviceFor(fallback: YamlNode, models: readonly DeclaredModel[]): string {
  const model = models.find(({ id }) => id === fallback.name);
  if (!model) return "its model was not converted";
  const names = (fallback.items ?? []).map(({ text, fields }) => text ?? fields?.get("model")?.text ?? "");
  const targets = names.map((name) => ({ name, found: models.find(({ id }) => id === name) }));
  const missing = targets.filter(({ found }) => !found).map(({ name }) => quoted(name));
  const converted = targets.flatMap(({ found }) => found ?? []);
  const routes = routesTo(converted, model).map((route) => stringify(route, { collectionStyle: "flow", lineWidth: 0 }).trim());
  return [
    ...(routes.length > 0 ? [`add to the routes of ${quoted(model.id)}, at its price: ${routes.join(", ")}`] : []),
    ...(missing.length > 0 ? [`not converted: ${missing.join(", ")}`] : []),
    ...(targets.length === 0 ? [whyNotSetting("fallbacks")] : []),
  ].join("; ");
}

/** The routes of each fallback come after those of the one before it. */
function routesTo(fallbacks: readonly DeclaredModel[], { routes }: DeclaredModel): DeclaredRoute[] {
  const lowest = Math.max(...routes.map(({ priority = 1 }) => priority));
  return fallbacks.flatMap((fallback, at) => fallback.routes.map((route) => ({ ...route, priority: lowest + 1 + at })));
}
