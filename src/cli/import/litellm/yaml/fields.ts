import type { YamlNode } from "./yaml-node.ts";

/**
 * The fields of a section, or of several sections in order of precedence. It records the fields that were read. Fields that were never read
 * are reported as unsupported, so none can be forgotten.
 */
export class Fields {
  readonly #sections: readonly ReadonlyMap<string, YamlNode>[];
  readonly #taken = new Set<string>();

  constructor(...sections: readonly (YamlNode | undefined)[]) {
    this.#sections = sections.flatMap((section) => section?.fields ?? []);
  }

  take(name: string): YamlNode | undefined {
    this.#taken.add(name);
    return this.peek(name);
  }

  /** Reads a field without recording it. */
  peek(name: string): YamlNode | undefined {
    return this.#sections.find((section) => section.has(name))?.get(name);
  }

  get names(): string[] {
    return [...new Set(this.#sections.flatMap((section) => [...section.keys()]))];
  }

  /** The fields that were not taken. */
  get rest(): YamlNode[] {
    return this.#sections.flatMap((section) => [...section.values()]).filter(({ name }) => !this.#taken.has(name));
  }
}
