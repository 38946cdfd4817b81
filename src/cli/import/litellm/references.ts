import type { YamlNode } from "./yaml/yaml-node.ts";

/** The credential of an upstream: its variable, or the secret itself, which is never written. */
export type Credential = { readonly variable: string } | { readonly secret: string; readonly node: YamlNode };

/**
 * The variable of a value: `os.environ/NAME` is LiteLLM's syntax, `${NAME}` that of template tools and of tollgate.yaml.
 */
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

/** A possible value of a base URL: `origin` for a leading variable, a word for another one. */
export function sampleOf(baseUrl: string, origin: string): string {
  return baseUrl.replace(REFERENCE, baseUrl.startsWith("${") ? origin : "sample");
}

/** A name of a model with hyphens for its spaces, which a model ID cannot have. */
export function withoutSpaces(name: string): string {
  return name.replaceAll(/(?<=[!-~]) +(?=[!-~])/g, "-");
}
