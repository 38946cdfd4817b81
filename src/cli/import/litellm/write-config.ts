import { Document, isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import type { GatheredConfig } from "./gather-upstreams.ts";
import { toSingleLine, type Unsupported } from "./unsupported.ts";

/** The text of tollgate.yaml, with the unsupported settings as a comment at its end. */
export function writeConfig(
  { upstreams, models, variables }: GatheredConfig,
  unsupported: readonly Unsupported[],
  fileName: string,
): string {
  const hasEmbeddings = models.some(({ declared }) => declared.kind === "embedding");
  const content = {
    ...(hasEmbeddings && { endpoints: ["embeddings"] }),
    upstreams: upstreams.map(({ declared }) => declared),
    models: models.map(({ declared }) => declared),
  };
  const document = new Document(content, { aliasDuplicateObjects: false });
  const endpoints: unknown = document.get("endpoints", true);
  if (isSeq(endpoints)) endpoints.flow = true;
  itemsOf(document, "upstreams").forEach((item, at) => {
    inOneRow(item, "headers");
    inOneRow(item, "timeouts");
    remark(item, "credential", upstreams[at]!.note);
  });
  itemsOf(document, "models").forEach((item, at) => {
    inOneRow(item, "routes");
    if (!models[at]!.declared.price?.tiers) inOneRow(item, "price");
    inOneRow(item, "prices");
    inOneRow(item, "parameters");
    inOneRow(item, "fallback_models");
    remark(item, "free" in models[at]!.declared ? "free" : "id", models[at]!.note);
  });
  document.commentBefore = asComment(headOf(fileName, [...variables.keys()], unsupported.length));
  if (unsupported.length > 0) document.comment = asComment(tailOf(fileName, unsupported));
  return document.toString({ lineWidth: 0 });
}

function headOf(fileName: string, variables: readonly string[], unsupportedCount: number): string[] {
  return [
    `Converted from ${fileName} by tollgate import litellm.`,
    ...(variables.length > 0 ? [`It reads from the environment: ${variables.toSorted().join(", ")}.`] : []),
    ...(unsupportedCount > 0 ? ["Settings that were not converted, or were converted with changes, are listed at the end."] : []),
  ];
}

function tailOf(fileName: string, unsupported: readonly Unsupported[]): string[] {
  const lineAndColumn = (place: string): string => place.slice(toSingleLine(fileName).length + 1);
  return [
    `Settings of ${fileName} that were not converted, or were converted with changes, by line and column:`,
    ...unsupported.map(({ place, field, why }) => `${lineAndColumn(place)} ${field}: ${why}`),
  ];
}

function itemsOf(document: Document, list: string): YAMLMap[] {
  const found: unknown = document.get(list, true);
  return isSeq(found) ? found.items.filter((item) => isMap(item)) : [];
}

/** Short maps are written on one line. */
function inOneRow(item: YAMLMap, name: string): void {
  const found: unknown = item.get(name, true);
  for (const each of isSeq(found) ? found.items : [found]) if (isMap(each)) each.flow = true;
}

function remark(item: YAMLMap, name: string, note: string | undefined): void {
  const found: unknown = item.get(name, true);
  if (note !== undefined && isScalar(found)) found.comment = ` ${toSingleLine(note)}`;
}

function asComment(lines: readonly string[]): string {
  return lines.map((line) => (line === "" ? "" : ` ${toSingleLine(line)}`)).join("\n");
}
