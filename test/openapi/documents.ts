import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of OpenAPI that a check of replies reads. */
export interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, DescribedReply>>;
}

export interface DescribedReply {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly type?: string } }>>;
}

/** The listener that a document describes. */
export type ListenerName = "gateway" | "gateway-with-endpoints" | "platform";

const FOLDER = join(import.meta.dir, "../../openapi");

function read(name: ListenerName): Document {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8")) as Document;
}

export const documents: Readonly<Record<ListenerName, Document>> = {
  gateway: read("gateway"),
  "gateway-with-endpoints": read("gateway-with-endpoints"),
  platform: read("platform"),
};

/** An operation with its position in the document. */
export interface PlacedOperation extends DescribedOperation {
  readonly path: string;
  readonly method: string;
}

/**
 * The operation of a method and a path. If the path has no such method, another operation of the path: a 405 belongs to it. An unknown path
 * of the gateway counts as one of its own, because its 404 has the gateway's format; the platform also has pages that are not operations.
 */
export function findOperation(listener: ListenerName, method: string, path: string): PlacedOperation | undefined {
  const { paths } = documents[listener];
  const found = Object.keys(paths)
    .filter((template) => expressionOf(template).test(path))
    // A path without a parameter takes precedence over a path with one.
    .toSorted((a, b) => a.split("{").length - b.split("{").length)[0];
  const template = found ?? (listener === "platform" ? undefined : "/models");
  if (template === undefined) return undefined;
  const methods = paths[template]!;
  const own = method.toLowerCase() in methods ? method.toLowerCase() : Object.keys(methods)[0]!;
  return { ...methods[own]!, path: template, method: own };
}

const expressions = new Map<string, RegExp>();

function expressionOf(template: string): RegExp {
  const known = expressions.get(template);
  if (known) return known;
  const escaped = template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  // Both listeners ignore one trailing slash.
  const expression = new RegExp(`^${escaped.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
  expressions.set(template, expression);
  return expression;
}
