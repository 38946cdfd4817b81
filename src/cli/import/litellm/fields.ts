import type { YamlNode } from "./yaml-node.ts";

/**
 * The fields of a section, or of several where the earlier goes before the later, and which of them have been asked for.
 * What nobody has asked for at the end was not carried: so no field can be forgotten.
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

  /** For a look that carries nothing. */
  peek(name: string): YamlNode | undefined {
    return this.#sections.find((section) => section.has(name))?.get(name);
  }

  get names(): string[] {
    return [...new Set(this.#sections.flatMap((section) => [...section.keys()]))];
  }

  /** What nobody has taken. */
  get rest(): YamlNode[] {
    return this.#sections.flatMap((section) => [...section.values()]).filter(({ name }) => !this.#taken.has(name));
  }
}
