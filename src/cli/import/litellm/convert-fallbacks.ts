import type { Model } from "../../../models/catalog.ts";
import { isWildcard } from "../../../models/model-id.ts";
import { withoutSpaces } from "./references.ts";
import type { Fields } from "./yaml/fields.ts";
import { asUnsupported, quoted, type Unsupported } from "./unsupported.ts";
import type { YamlNode } from "./yaml/yaml-node.ts";

const CONDITIONS = ["error", "context_length", "content_filter"] as const;

type Condition = (typeof CONDITIONS)[number];

/** A fallback of a model in tollgate.yaml. */
export interface ConvertedFallback {
  readonly model: string;
  readonly on: readonly Condition[];
}

/** LiteLLM's lists of fallbacks. */
export interface FallbackSettings {
  readonly general: YamlNode | undefined;
  readonly contextWindow: YamlNode | undefined;
  readonly contentPolicy: YamlNode | undefined;
  readonly defaults: YamlNode | undefined;
}

/** Like in LiteLLM, `router_settings` takes precedence over `litellm_settings`. */
export function takeFallbacks(router: Fields, library: Fields, unsupported: Unsupported[]): FallbackSettings {
  const take = (name: string): YamlNode | undefined => {
    const [first, second] = [router.take(name), library.take(name)];
    if (first && second) unsupported.push(asUnsupported(second, `not converted: router_settings.${name} goes before it`));
    return first ?? second;
  };
  return {
    general: take("fallbacks"),
    contextWindow: take("context_window_fallbacks"),
    contentPolicy: take("content_policy_fallbacks"),
    defaults: take("default_fallbacks"),
  };
}

const MAX_FALLBACKS = 10;

/** The fallbacks of each model. For long prompts and refusals LiteLLM uses the general list, unless it has a separate list. */
export function convertFallbacks(
  { general, contextWindow, contentPolicy, defaults }: FallbackSettings,
  models: readonly Pick<Model, "id" | "kind">[],
  unsupported: Unsupported[],
): ReadonlyMap<string, readonly ConvertedFallback[]> {
  const found = new FoundFallbacks(models, unsupported);
  const on: Condition[] = [
    "error",
    ...(contextWindow ? [] : (["context_length"] as const)),
    ...(contentPolicy ? [] : (["content_filter"] as const)),
  ];
  found.add(general, on, defaults);
  found.add(contextWindow, ["context_length"]);
  found.add(contentPolicy, ["content_filter"]);
  return found.byModel;
}

const NO_VECTORS = "not converted: an embedding model has no fallbacks and is none, because vectors of different models cannot be compared";

class FoundFallbacks {
  readonly byModel = new Map<string, ConvertedFallback[]>();
  readonly #ids: readonly string[];
  readonly #embeddingIds: ReadonlySet<string>;
  readonly #unsupported: Unsupported[];

  constructor(models: readonly Pick<Model, "id" | "kind">[], unsupported: Unsupported[]) {
    const named = models.filter(({ id }) => !isWildcard(id));
    const ofEmbeddings = named.filter(({ kind }) => kind === "embedding");
    this.#ids = named.map(({ id }) => id);
    this.#embeddingIds = new Set(ofEmbeddings.map(({ id }) => id));
    this.#unsupported = unsupported;
  }

  /** `[{ model: [fallback, …] }, …]`. The name `*`, or `defaults`, stands for every model that the list does not name. */
  add(list: YamlNode | undefined, on: readonly Condition[], defaults?: YamlNode): void {
    const entries = (list?.items ?? []).flatMap((item) => [...(item.fields?.values() ?? [])]);
    if (list && entries.length === 0) this.#report(list, "it names no fallbacks");
    const named = new Set(entries.map(({ name }) => withoutSpaces(name)));
    for (const entry of entries) {
      if (entry.name !== "*") this.#addFor(withoutSpaces(entry.name), entry, on);
      else this.#addForOthers(named, entry, on);
    }
    if (defaults) this.#addForOthers(named, defaults, on);
  }

  #addForOthers(named: ReadonlySet<string>, list: YamlNode, on: readonly Condition[]): void {
    const targets = new Set((list.items ?? []).map(targetOf));
    if (targets.size === 0) return this.#report(list, "it names no fallbacks");
    const others = this.#ids.filter((id) => !named.has(id) && !targets.has(id) && !this.#embeddingIds.has(id));
    for (const id of others) this.#addFor(id, list, on);
    this.#report(list, "converted for each model that has no fallbacks of its own and is not one of these");
  }

  #addFor(id: string, list: YamlNode, on: readonly Condition[]): void {
    if (!this.#ids.includes(id)) return this.#report(list, "its model was not converted");
    const targets = list.items ?? [];
    if (targets.length === 0) this.#report(list, "it names no fallbacks");
    for (const target of targets) this.#addOne(id, target, on);
  }

  #addOne(id: string, node: YamlNode, on: readonly Condition[]): void {
    const target = targetOf(node);
    const others = this.byModel.get(id) ?? [];
    if (this.#embeddingIds.has(id) || this.#embeddingIds.has(target)) return this.#report(node, NO_VECTORS);
    if (!this.#ids.includes(target)) return this.#report(node, `${quoted(target)} is not a converted model`);
    if (node.fields && node.fields.size > 1)
      this.#report(node, "converted without its parameters: the fallback has its model's parameters");
    if (target === id) return this.#report(node, "not converted: a model cannot be its own fallback");
    const before = others.find(({ model }) => model === target);
    if (!before && others.length === MAX_FALLBACKS) return this.#report(node, `a model has ${MAX_FALLBACKS} fallbacks at most`);
    const after = { model: target, on: CONDITIONS.filter((each) => before?.on.includes(each) || on.includes(each)) };
    this.byModel.set(id, before ? others.map((each) => (each === before ? after : each)) : [...others, after]);
  }

  #report(node: YamlNode, why: string): void {
    this.#unsupported.push(asUnsupported(node, why));
  }
}

function targetOf({ text, fields }: YamlNode): string {
  return withoutSpaces(text ?? fields?.get("model")?.text ?? "");
}
