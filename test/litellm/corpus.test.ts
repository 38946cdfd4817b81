import { describe, expect, test } from "bun:test";
import { parse, parseDocument, isMap, isSeq, type Document } from "yaml";
import { formatPath, type Path } from "../../src/lib/schema/schema.ts";
import { defaultPrices } from "../../src/models/prices/default-prices.ts";
import { ConfigError } from "../../src/config/config-error.ts";
import { parseConfigFile } from "../../src/config/config-file.ts";
import { importLiteLLM, type ImportedConfig } from "../../src/cli/import/litellm/import-litellm.ts";
import type { DeclaredModel } from "../../src/models/declared-model.ts";
import type { DeclaredUpstream } from "../../src/models/declared-upstream.ts";
import { isLong } from "../support/long.ts";
import { DOCUMENTED } from "./documented-keys.ts";
import { CASES, type Case } from "./read-corpus.ts";
import { sampleVariables } from "./sample-variables.ts";

/** Read only once, instead of for each import. */
const PRICES = defaultPrices();

interface Meaning {
  readonly upstreams: readonly DeclaredUpstream[];
  readonly models: readonly DeclaredModel[];
}

function meaningOf({ config }: Pick<ImportedConfig, "config">): Meaning {
  return parse(config) as Meaning;
}

/** The reports of a case: the start of each reason, with the fields that it applies to. */
function reportsOf({ unsupported }: ImportedConfig, expected: Case["reports"]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const { field, why } of unsupported) {
    const start = Object.keys(expected).find((each) => why.startsWith(each) && expected[each]!.includes(field)) ?? why;
    (found[start] ??= []).push(field);
  }
  return found;
}

describe.each(CASES.map((each) => [`${each.file}: ${each.name}`, each] as const))("%s", (_, each) => {
  if (each.error !== undefined) {
    test("is rejected", () => {
      expect(() => importLiteLLM(each.config, "config.yaml")).toThrow(new ConfigError(each.error!));
    });
    return;
  }
  const imported = importLiteLLM(each.config, "config.yaml");
  const meaning = meaningOf(imported);

  test("has the expected meaning", () => {
    const hasEmbeddings = each.models.some((model) => (model as DeclaredModel).kind === "embedding");
    expect(meaning as unknown).toEqual({
      ...(hasEmbeddings && { endpoints: ["embeddings"] }),
      upstreams: each.upstreams,
      models: each.models,
    });
  });

  test("has the expected reports", () => {
    expect(reportsOf(imported, each.reports) as unknown).toEqual(each.reports);
  });

  test("is valid, and the same the second time", () => {
    const variables = sampleVariables(meaning.upstreams, "https://llm.example/v1");
    const { upstreams, catalog } = parseConfigFile(imported.config, "tollgate.yaml", variables, 0);
    expect([upstreams.length, catalog.size]).toEqual([imported.upstreams, imported.models]);
    expect(importLiteLLM(each.config, "config.yaml")).toEqual(imported);
  });

  // In a file for Kubernetes, everything except the config is reported at once.
  if (each.file === "kubernetes.yaml") return;
  test("loses no key silently: without it, the meaning or the reports differ", () => {
    const effect = effectOf(imported);
    const reported = new Set(imported.unsupported.map(({ field }) => field));
    const tried = keysIn(each.config, reported).filter(isTried);
    const lost = tried.filter((path) => {
      const rest = without(each.config, path);
      return rest !== undefined && effectOf(tryImport(rest)) === effect;
    });
    const names = new Set(tried.map(formatPath));
    expect(lost.map(formatPath)).toEqual(each.without_effect.filter((name) => names.has(name)));
  });
});

/** How many configurations this key was removed from, by its path without positions. */
const removals = new Map<string, number>();

/** The same key is removed from three configurations; in the long run from each of them. */
function isTried(path: Path): boolean {
  const name = path.filter((part) => typeof part === "string").join(".");
  const count = (removals.get(name) ?? 0) + 1;
  removals.set(name, count);
  return isLong || count <= 3;
}

/** The converted meaning and the reports, without line numbers. */
function effectOf(imported: ImportedConfig | undefined): string {
  if (!imported) return "rejected";
  return JSON.stringify([meaningOf(imported), imported.unsupported.map(({ field, why }) => [field, why.replaceAll(/:\d+:\d+/g, "")])]);
}

function tryImport(config: string): ImportedConfig | undefined {
  try {
    return importLiteLLM(config, "config.yaml");
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Sections in which each field is a separate setting. */
const SECTIONS =
  /^(model_list|litellm_params|model_info|environment_variables|credential_list|credential_values|model_group_alias|(litellm|router|general)_settings)$/;

/** The paths of all settings that are not reported, either individually or with their section. */
function keysIn(config: string, reported: ReadonlySet<string>): Path[] {
  const paths: Path[] = [];
  const visit = (node: unknown, path: Path): void => {
    if (reported.has(formatPath(path))) return;
    if (isSeq(node)) node.items.forEach((item, at) => visit(item, [...path, at]));
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      const name = String(key);
      // The earlier of two equal keys is reported by its position.
      if (name === "<<" || node.items.filter((other) => String(other.key) === name).length > 1) continue;
      if (!reported.has(formatPath([...path, name]))) paths.push([...path, name]);
      if (SECTIONS.test(name)) visit(value, [...path, name]);
    }
  };
  visit(parsed(config).contents, []);
  return paths;
}

/** The config without this key. Undefined if the rest refers to an anchor in it. */
function without(config: string, path: Path): string | undefined {
  const document = parsed(config);
  document.deleteIn(path);
  try {
    return document.toString();
  } catch {
    return undefined;
  }
}

function parsed(config: string): Document {
  return parseDocument(config, { uniqueKeys: false });
}

test("the corpus has at least 120 configurations, each with a name of its own", () => {
  expect(PRICES.providers.length).toBeGreaterThan(0);
  expect(CASES.length).toBeGreaterThanOrEqual(120);
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
});

test.each(Object.entries(DOCUMENTED))("the corpus has every documented key of %s", (section, keys) => {
  const found = new Set(CASES.flatMap(({ config }) => keysOfSection(config, section)));
  expect(keys.split(/\s+/).filter((key) => key !== "" && !found.has(key))).toEqual([]);
});

function keysOfSection(config: string, section: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown, name: string): void => {
    if (isSeq(node)) for (const item of node.items) visit(item, name);
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      if (section.split(" or ").includes(name)) found.push(String(key));
      visit(value, String(key));
    }
  };
  visit(parsed(config).contents, "config.yaml");
  return found;
}
