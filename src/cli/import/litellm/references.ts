import type { YamlNode } from "./yaml/yaml-node.ts";

/** The credential of an upstream: its variable, or the plaintext secret, which is never written. */
export type Credential = { readonly variable: string } | { readonly secret: string; readonly node: YamlNode };

/** The variable of a value: LiteLLM's syntax is `os.environ/NAME`; template tools and tollgate.yaml use `${NAME}`. */
export function variableIn(text: string): string | undefined {
  const [, name, filledIn] = /^(?:os\.environ\/([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})$/.exec(text.trim()) ?? [];
  return name ?? filledIn;
}

const REFERENCE = /\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/;

/** Whether the config parser would expand a variable in this text. tollgate.yaml has no escape for `${`. */
export function isFilledIn(text: string): boolean {
  return REFERENCE.test(text);
}

/** The variable in a text of tollgate.yaml. */
export function referenceIn(text: string): string | undefined {
  return REFERENCE.exec(text)?.[1];
}

/** A possible value of a base URL: `origin` replaces a leading variable, and a word replaces any other variable. */
export function sampleOf(baseUrl: string, origin: string): string {
  return baseUrl.replace(REFERENCE, baseUrl.startsWith("${") ? origin : "sample");
}

/** A model name with hyphens instead of spaces, which a model ID cannot contain. */
export function withoutSpaces(name: string): string {
  return name.replaceAll(/(?<=[!-~]) +(?=[!-~])/g, "-");
}
