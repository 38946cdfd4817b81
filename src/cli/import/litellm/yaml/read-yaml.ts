import { isAlias, isPair, isSeq, LineCounter, parseAllDocuments, visit, type Alias, type Document, type Node, type YAMLMap } from "yaml";
import { ConfigError } from "../../../../config/config-error.ts";
import { formatPath, type Path } from "../../../../lib/schema/schema.ts";
import { toSingleLine, type Unsupported } from "../unsupported.ts";
import { MERGE_KEY, nameOfKey, offsetOf, YamlNode, type Source } from "./yaml-node.ts";

/** Where a text is: it is a whole file, or a block of a file. */
export interface Place {
  readonly path: Path;
  /** The position of a line and a column of the text, such as `config.yaml:12:7`. */
  readonly nameOf: (line: number, column: number) => string;
}

interface ReadYaml {
  /** One per document. */
  readonly documents: readonly YamlNode[];
  /** Keys that occur twice in a map. */
  readonly duplicates: readonly Unsupported[];
}

/** Parses YAML into values with their line and column. Throws `ConfigError` if it is invalid. */
export function readYaml(text: string, { path, nameOf }: Place): ReadYaml {
  const lines = new LineCounter();
  // Python's parser accepts duplicate keys, and so does LiteLLM.
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const placeOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return nameOf(Math.max(1, line), Math.max(1, col));
  };
  const documents = Array.isArray(parsed) ? parsed : [];
  const error = documents.flatMap(({ errors }) => errors)[0];
  // The parser's message may quote a secret from the file; its code cannot.
  if (error) throw new ConfigError(`${placeOf(error.pos[0])}: not YAML, here or before: ${error.code.toLowerCase().replaceAll("_", " ")}`);
  return {
    documents: documents.map((each) => new YamlNode({ targets: findTargets(each, placeOf), placeOf }, each.contents, path, 0)),
    duplicates: documents.flatMap((each) => findDuplicates(each, path, placeOf)),
  };
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

function findDuplicates(document: Document.Parsed, path: Path, placeOf: Source["placeOf"]): Unsupported[] {
  const found: Unsupported[] = [];
  visit(document, {
    Map(_, map, ancestors) {
      const last = new Map(map.items.map(({ key }) => [nameOfKey(key), key]));
      const repeated = map.items.filter(({ key }) => nameOfKey(key) !== MERGE_KEY && last.get(nameOfKey(key)) !== key);
      found.push(
        ...repeated.map(({ key }) => {
          const name = nameOfKey(key);
          const field = toSingleLine(formatPath([...path, ...pathOf(map, ancestors), name]));
          const why = `not converted: the key occurs again at ${placeOf(offsetOf(last.get(name)))}, and the last one counts`;
          return { place: toSingleLine(placeOf(offsetOf(key))), field, why: toSingleLine(why) };
        }),
      );
    },
  });
  return found;
}

function pathOf(map: YAMLMap, ancestors: readonly unknown[]): Path {
  return ancestors.flatMap((each, at): (string | number)[] => {
    if (isPair(each)) return [nameOfKey(each.key)];
    return isSeq(each) ? [each.items.indexOf(ancestors[at + 1] ?? map)] : [];
  });
}
