import { ConfigError } from "../../../../config/config-error.ts";
import type { Unsupported } from "../unsupported.ts";
import { readYaml, type Place } from "./read-yaml.ts";
import type { YamlNode } from "./yaml-node.ts";

/** The config of a LiteLLM proxy. */
interface FoundConfig {
  readonly root: YamlNode;
  /** The node that contains the config, if it is part of a Kubernetes file. */
  readonly container: YamlNode | undefined;
  readonly duplicates: readonly Unsupported[];
}

/** Values of a nested chart are a few levels deep. The limit also ends the search in a map that contains itself. */
const MAX_DEPTH = 8;

/** The maximum number of values in a manifest. Counting them ends a "billion laughs" file. */
const MAX_VALUES = 10_000;

/**
 * The file itself, the `proxy_config` of Helm values, or a file of a Kubernetes ConfigMap. Throws `ConfigError` if there is none, or more
 * than one.
 */
export function findConfig(text: string, fileName: string): FoundConfig {
  const { documents, duplicates } = readYaml(text, { path: [], nameOf: (line, column) => `${fileName}:${line}:${column}` });
  const [first] = documents;
  if (documents.length === 1 && isConfig(first!)) return { root: first!, container: undefined, duplicates };
  const budget = { left: MAX_VALUES };
  const found = documents.flatMap((document) => configsIn(document, text, fileName, MAX_DEPTH, budget));
  if (found.length > 1) {
    const places = found.map(({ container, root }) => (container ?? root).place).join(" and ");
    throw new ConfigError(`${places}: several LiteLLM configs in one file: import each from a file of its own`);
  }
  if (found.length === 1) return { ...found[0]!, duplicates: [...duplicates, ...found[0]!.duplicates] };
  if (first?.fields && documents.length === 1) return { root: first, container: undefined, duplicates };
  throw new ConfigError(`${first?.place ?? `${fileName}:1:1`}: not a LiteLLM config: it has no model_list`);
}

function isConfig({ fields }: YamlNode): boolean {
  return fields?.has("model_list") ?? false;
}

function configsIn(node: YamlNode, text: string, fileName: string, depth: number, budget: { left: number }): FoundConfig[] {
  if (depth === 0 || budget.left-- <= 0) return [];
  if (isConfig(node)) return [{ root: node, container: depth === MAX_DEPTH ? undefined : node, duplicates: [] }];
  const embedded = embeddedConfig(node, text, fileName);
  if (embedded) return [embedded];
  const inside = [...(node.fields?.values() ?? []), ...(node.items ?? [])];
  return inside.flatMap((each) => configsIn(each, text, fileName, depth - 1, budget));
}

/** A text that contains a config: a ConfigMap has files as texts. */
function embeddedConfig(node: YamlNode, text: string, fileName: string): FoundConfig | undefined {
  const inner = node.text;
  if (inner === undefined || !/^\s*["']?model_list["']?\s*:/m.test(inner)) return undefined;
  const { documents, duplicates } = readYaml(inner, placeOfText(node, text, fileName));
  const [root] = documents;
  return documents.length === 1 && isConfig(root!) ? { root: root!, container: node, duplicates } : undefined;
}

/** The lines of a block literal are lines of the file; any other text has one position. */
function placeOfText(node: YamlNode, text: string, fileName: string): Place {
  const scalar = node.scalar!;
  if (scalar.type !== "BLOCK_LITERAL" || !scalar.range) return { path: node.path, nameOf: () => node.place };
  const header = text.slice(0, scalar.range[0]).split("\n").length;
  const inner = node.text!.split("\n");
  const first = inner.findIndex((line) => line.trim() !== "");
  const indent = indentOf(text.split("\n")[header + first] ?? "") - indentOf(inner[first] ?? "");
  return { path: node.path, nameOf: (line, column) => `${fileName}:${header + line}:${indent + column}` };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
