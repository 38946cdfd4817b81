import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Alias,
  type Document,
  type Node,
  type YAMLMap,
} from "yaml";
import { ConfigError } from "../../../../config/config-error.ts";
import { formatPath } from "../../../../lib/schema/schema.ts";

interface Source {
  /** The target of each alias. */
  readonly targets: ReadonlyMap<Alias, Node>;
  placeOf(offset: number): string;
}

/** Parses YAML into values with their line and column. Throws `ConfigError` if it is invalid. */
export function readYaml(text: string, fileName: string): YamlNode {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${fileName}:${Math.max(1, line)}:${Math.max(1, col)}`;
  };
  const error = document.errors[0];
  // The parser's message may quote a secret from the file; its code cannot.
  if (error) throw new ConfigError(`${placeOf(error.pos[0])}: not YAML, here or before: ${error.code.toLowerCase().replaceAll("_", " ")}`);
  return new YamlNode({ targets: findTargets(document, placeOf), placeOf }, document.contents, [], 0);
}

/** An alias refers to the last node before it with its anchor. */
function findTargets(document: Document.Parsed, placeOf: Source["placeOf"]): Map<Alias, Node> {
  const anchored = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) return void (node.anchor !== undefined && anchored.set(node.anchor, node));
      const target = anchored.get(node.source);
      if (!target) throw new ConfigError(`${placeOf(offsetOf(node))}: this alias has no anchor before it`);
      targets.set(node, target);
    },
  });
  return targets;
}

/**
 * A value of a YAML file, with its position and its path. Aliases are expanded lazily, one level at a time, so that a "billion laughs" file
 * does not exhaust the memory.
 */
export class YamlNode {
  readonly #source: Source;
  readonly #node: unknown;
  readonly #path: readonly (string | number)[];
  /** `config.yaml:12:7`. */
  readonly place: string;

  constructor(source: Source, node: unknown, path: readonly (string | number)[], offset: number) {
    this.#source = source;
    this.#node = isAlias(node) ? source.targets.get(node) : node;
    this.#path = path;
    this.place = source.placeOf(offset);
  }

  /** `model_list[3].litellm_params.rpm`. */
  get field(): string {
    return formatPath(this.#path);
  }

  get name(): string {
    return String(this.#path.at(-1) ?? "");
  }

  /** Whether it has an anchor. */
  get isAnchored(): boolean {
    return isNode(this.#node) && "anchor" in this.#node && this.#node.anchor !== undefined;
  }

  /** A scalar as it was written, without its quotes. */
  get text(): string | undefined {
    if (!isScalar(this.#node) || this.#node.value === null) return undefined;
    return typeof this.#node.value === "string" ? this.#node.value : this.#node.source;
  }

  /** A number, or text that is one: Python parses `1e-6` as text, and LiteLLM accepts both. */
  get number(): number | undefined {
    const text = this.text?.trim();
    if (text === undefined || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return undefined;
    return Number.isFinite(Number(text)) ? Number(text) : undefined;
  }

  get items(): readonly YamlNode[] | undefined {
    if (!isSeq(this.#node)) return undefined;
    return this.#node.items.map((item, at) => new YamlNode(this.#source, item, [...this.#path, at], offsetOf(item)));
  }

  /** The fields of a map, which override those that it merges (`<<: *defaults`), without those that are null. */
  get fields(): ReadonlyMap<string, YamlNode> | undefined {
    if (!isMap(this.#node)) return undefined;
    const found = new Map<string, YamlNode>();
    this.#gather(this.#node, found, new Set());
    for (const [name, value] of found) if (value.#isNull) found.delete(name);
    return found;
  }

  get #isNull(): boolean {
    return this.#node == null || (isScalar(this.#node) && this.#node.value === null);
  }

  /** `seen` prevents endless recursion: a map may merge itself, or the same map many times. */
  #gather(map: YAMLMap, found: Map<string, YamlNode>, seen: Set<unknown>): void {
    if (seen.has(map)) return;
    seen.add(map);
    const merged: unknown[] = [];
    for (const { key, value } of map.items) {
      const name = isScalar(key) ? String(key.value) : "?";
      if (name === "<<") merged.push(value);
      else if (!found.has(name)) found.set(name, new YamlNode(this.#source, value, [...this.#path, name], offsetOf(key)));
    }
    for (const each of merged) this.#gatherMerged(each, found, seen);
  }

  #gatherMerged(node: unknown, found: Map<string, YamlNode>, seen: Set<unknown>): void {
    const target: unknown = isAlias(node) ? this.#source.targets.get(node) : node;
    if (isMap(target)) this.#gather(target, found, seen);
    if (!isSeq(target) || seen.has(target)) return;
    seen.add(target);
    for (const item of target.items) this.#gatherMerged(item, found, seen);
  }
}

function offsetOf(node: unknown): number {
  return (node as { range?: [number, number, number] | null } | null)?.range?.[0] ?? 0;
}
