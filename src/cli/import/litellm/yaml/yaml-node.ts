import { isAlias, isMap, isNode, isScalar, isSeq, type Alias, type Node, type Scalar, type YAMLMap } from "yaml";
import { UnsupportedError } from "../unsupported.ts";
import { formatPath, type Path } from "../../../../lib/schema/schema.ts";

/** The file that a value is from. */
export interface Source {
  /** The target of each alias. */
  readonly targets: ReadonlyMap<Alias, Node>;
  placeOf(offset: number): string;
}

const MAX_VALUES = 500;

/**
 * A value of a YAML file, with its position and its path. Aliases are expanded lazily, one level at a time, so that a "billion laughs" file
 * does not exhaust the memory.
 */
export class YamlNode {
  readonly #source: Source;
  readonly #node: unknown;
  readonly #path: Path;
  /** `config.yaml:12:7`. */
  readonly place: string;

  constructor(source: Source, node: unknown, path: Path, offset: number) {
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

  /** A number, or text that contains one: Python parses `1e-6` as text, and LiteLLM accepts both. */
  get number(): number | undefined {
    const text = this.text?.trim();
    if (text === undefined || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return undefined;
    return Number.isFinite(Number(text)) ? Number(text) : undefined;
  }

  get items(): readonly YamlNode[] | undefined {
    if (!isSeq(this.#node)) return undefined;
    return this.#node.items.map((item, at) => new YamlNode(this.#source, item, [...this.#path, at], offsetOf(item)));
  }

  /** The text of a block literal or of another scalar, which is itself parsed as YAML. */
  get scalar(): Scalar | undefined {
    return isScalar(this.#node) ? this.#node : undefined;
  }

  /** The path of its fields. */
  get path(): Path {
    return this.#path;
  }

  /**
   * The fields of a map, without fields that are null. The last of several duplicates counts. A field overrides a field that the map merges
   * (`<<: *defaults`).
   */
  get fields(): ReadonlyMap<string, YamlNode> | undefined {
    if (!isMap(this.#node)) return undefined;
    const found = new Map<string, YamlNode>();
    this.#gather(this.#node, found, new Set());
    for (const [name, value] of found) if (value.#isNull) found.delete(name);
    return found;
  }

  /** The plain value of a small section. Throws `UnsupportedError` for a larger section, for example if nested aliases expand to one. */
  value(budget = { left: MAX_VALUES }): unknown {
    if (budget.left-- <= 0) throw new UnsupportedError(`its ${this.name} has more than ${MAX_VALUES} values`);
    if (this.items) return this.items.map((item) => item.value(budget));
    if (this.fields) return Object.fromEntries([...this.fields].map(([name, field]) => [name, field.value(budget)]));
    return isScalar(this.#node) ? this.#node.value : null;
  }

  get #isNull(): boolean {
    return this.#node == null || (isScalar(this.#node) && this.#node.value === null);
  }

  /** `seen` prevents endless recursion: a map may merge itself, or the same map many times. */
  #gather(map: YAMLMap, found: Map<string, YamlNode>, seen: Set<unknown>): void {
    if (seen.has(map)) return;
    seen.add(map);
    const merged: unknown[] = [];
    const own = new Map<string, YamlNode>();
    for (const { key, value } of map.items) {
      const name = nameOfKey(key);
      if (name === MERGE_KEY) merged.push(value);
      else own.set(name, new YamlNode(this.#source, value, [...this.#path, name], offsetOf(key)));
    }
    for (const [name, value] of own) if (!found.has(name)) found.set(name, value);
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

export const MERGE_KEY = "<<";

export function nameOfKey(key: unknown): string {
  return isScalar(key) ? String(key.value) : "?";
}

export function offsetOf(node: unknown): number {
  return (node as { range?: [number, number, number] | null } | null)?.range?.[0] ?? 0;
}
