import { isAlias, isMap, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type ErrorCode, type Node } from "yaml";
import { ConfigError, type Environment } from "./config-error.ts";
import { configFileSchema, credentialsIn, type DeclaredFile } from "./file-schema.ts";
import { isCovered } from "../models/catalog.ts";
import { isWildcard } from "../models/model-id.ts";
import type { DeclaredModel, DeclaredState } from "../models/declared-model.ts";
import { fallbackIdsIn, problemOfFallback, type KnownModel } from "../models/fallbacks.ts";
import { formatPath, type Fail, type Path } from "../lib/schema/schema.ts";
import { findViolations } from "../lib/schema/find-violations.ts";
import { findUnexpectedNull } from "../lib/schema/unexpected-null.ts";

/** Replaces parser messages that are meant for programmers. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: "a second document starts here, but a config file has only one",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
};

/** A problem with a value that depends on a missing variable, if missing variables are accepted. */
class UnsetVariableProblem extends ConfigError {}

/** The declarations of a file that is empty, or has only comments. */
const NOTHING: DeclaredFile = { upstreams: [] };

const MIN_SECRET_LENGTH = 8;

/** A config file while it is read: its values, and the position of each for error messages. */
export class ConfigFile {
  readonly #name: string;
  /** Any value of a copy may be secret, and positions in a copy are not positions in the file. */
  readonly #isCopy: boolean;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  /** Values that are expanded from variables, completely or in part. */
  readonly #fromEnvironment = new WeakSet<Node>();
  /** Values from the environment with their variable names. Messages show the name, because the value may be a misplaced secret. */
  readonly #filledIn = new Map<string, string>();

  /** The problems found so far. */
  readonly #problems = new Set<string>();
  readonly #mayMiss: boolean;
  readonly #unsetIn = new WeakSet<Node>();
  readonly #unchecked = new Set<string>();
  /** By list, the position in the file of each remaining item, if unchecked items were removed. */
  readonly #places = new Map<string, readonly number[]>();
  /** Variables that are not set, with the position of their first use. */
  readonly #unset = new Map<string, string>();

  constructor(text: string, name: string, isCopy: boolean, mayMiss: boolean) {
    this.#name = name;
    this.#mayMiss = mayMiss;
    this.#isCopy = isCopy;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    // Warnings are about unknown tags.
    const error = this.#document.errors[0] ?? this.#document.warnings[0];
    if (error && isCopy) this.fail([], "");
    if (error) throw new ConfigError(`${this.#place(error.pos[0])}: ${WORDS[error.code] ?? error.message}`);
  }

  read(env: Environment | undefined): DeclaredFile {
    if (env) this.#fillInEnvironment(env);
    const value = this.#toValue() ?? NOTHING;
    const violations = findViolations(configFileSchema, value);
    for (const { path, message } of violations) this.#note(path, message);
    // For example, `credential:` at the end of a line.
    const empty = findUnexpectedNull(configFileSchema, value);
    if (empty) this.#note(empty, "has no value: set one, or omit the field");
    this.throwProblems();
    // Items that depend on missing variables.
    for (const { path } of violations) this.#unchecked.add(`${path[0]}[${path[1]}]`);
    return { ...NOTHING, ...this.#withoutUnchecked(value) };
  }

  /** Removes items that cannot be validated because they depend on missing variables. The other items keep their positions in the file. */
  #withoutUnchecked(declared: Partial<DeclaredFile>): Partial<DeclaredFile> {
    if (this.#unchecked.size === 0) return declared;
    const { compatibility, endpoints, ...declaredLists } = declared;
    const lists = Object.entries(declaredLists).map(([list, items]): [string, unknown[]] => {
      const places = [...items.keys()].filter((at) => !this.#unchecked.has(`${list}[${at}]`));
      this.#places.set(list, places);
      return [list, places.map((at) => items[at])];
    });
    return { ...(compatibility && { compatibility }), ...(endpoints && { endpoints }), ...Object.fromEntries(lists) };
  }

  /** A path in the converted value as a path in the file. */
  #pathInFile(path: Path): Path {
    const [list, at, ...rest] = path;
    const place = typeof at === "number" ? this.#places.get(String(list))?.[at] : undefined;
    return place === undefined ? path : [list!, place, ...rest];
  }

  #toValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      // For example, an alias without an anchor, or an alias bomb.
      return this.fail([], error instanceof Error ? `cannot be read: ${error.message}` : "cannot be read");
    }
  }

  /** Fails with a message that names the position of `path`, or of its nearest ancestor in the file. */
  fail(converted: Path, message: string): never {
    const path = this.#pathInFile(converted);
    const field = formatPath(path) || "the file";
    if (this.#isCopy) throw new ConfigError(`${this.#name}: ${field} is not valid in this version of Tollgate`);
    if (this.#unsetIn.has(this.#nodeAt(path))) throw new UnsetVariableProblem("depends on a variable that is not set");
    throw new ConfigError(`${this.#place(this.#offsetOf(path))}: ${field} ${this.#withNames(message)}`);
  }

  /** Records a problem, and continues to look for others. */
  #note(path: Path, message: string): void {
    this.#attempt(() => this.fail(path, message));
  }

  #attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (!(error instanceof UnsetVariableProblem)) this.#problems.add(error.message);
      return undefined;
    }
  }

  /** The items that are valid. The problems of the others are recorded. */
  convert<Item, Result>(list: string, items: readonly Item[], to: (item: Item, fail: Fail) => Result): Result[] {
    return items.flatMap((item, at) => this.#attempt(() => [to(item, this.failIn(list, at))]) ?? []);
  }

  /** Throws the problems that were recorded, if there are any. */
  throwProblems(): void {
    const all = [...this.#problems];
    if (all.length > 0) throw new ConfigError(all.join("; "), all);
  }

  get unset(): readonly string[] {
    return [...this.#unset.keys()];
  }

  #withNames(message: string): string {
    return this.#filledIn.entries().reduce((text, [value, name]) => text.replaceAll(value, () => name), message);
  }

  /** Fails because something is missing. */
  failWithoutPlace(message: string): never {
    throw new ConfigError(`${this.#name}: ${message}`);
  }

  refuseRepeatedIds(list: string, items: readonly { id: string }[]): void {
    const seen = new Set<string>();
    items.forEach(({ id }, at) => {
      if (seen.has(id)) this.#note([list, at, "id"], `repeats ${JSON.stringify(id)}`);
      seen.add(id);
    });
  }

  /** Fails at a position within an item of a list. */
  failIn(list: string, at: number): Fail {
    return (path, message) => this.fail([list, at, ...path], message);
  }

  refuseWrittenCredentials(declared: DeclaredFile): void {
    const written = credentialsIn(declared).find(([path]) => !this.#fromEnvironment.has(this.#nodeAt(this.#pathInFile(path))));
    if (!written) return;
    this.#note(
      written[0],
      `is written in a file that every user of this machine can read: use an environment variable, or chmod 600 ${this.#name}`,
    );
  }

  /** The node at a path. Aliases are resolved. */
  #nodeAt(path: Path): Node {
    const node = this.#document.getIn(path, true) as Node;
    return (isAlias(node) && node.resolve(this.#document)) || node;
  }

  checkReferences({ upstreams, models = [] }: DeclaredFile): void {
    if (this.#unchecked.size > 0) return;
    const upstreamIds = new Set(upstreams.map(({ id }) => id));
    const modelsById = new Map(models.map((model) => [model.id, model]));
    models.forEach((model, at) => {
      model.routes.forEach((route, routeAt) => {
        if (upstreamIds.has(route.upstream)) return;
        this.#note(
          ["models", at, "routes", routeAt, "upstream"],
          `names ${JSON.stringify(route.upstream)}, which is not one of the upstreams`,
        );
      });
      if (model.mirror && !upstreamIds.has(model.mirror.upstream)) {
        this.#note(
          ["models", at, "mirror", "upstream"],
          `names ${JSON.stringify(model.mirror.upstream)}, which is not one of the upstreams`,
        );
      }
      if (model.state !== "retired") this.#checkFallbacks(model, at, modelsById);
      const { replacement } = model;
      if (replacement === undefined) return;
      const target = modelsById.get(replacement);
      if (target !== undefined && target !== model && (target.state ?? "available") === "available") return;
      this.#note(["models", at, "replacement"], `must name another available model; ${JSON.stringify(replacement)} is not one`);
    });
  }

  #checkFallbacks(
    { id, fallback_models: declared }: DeclaredModel,
    at: number,
    models: ReadonlyMap<string, DeclaredModel & DeclaredState>,
  ): void {
    const find = (name: string): KnownModel | undefined => {
      // The models of a wildcard inherit the wildcard's fallbacks.
      const model = models.get(name) ?? models.values().find((each) => isWildcard(each.id) && isCovered([each.id], name));
      return model && { isRetired: model.state === "retired" };
    };
    fallbackIdsIn(declared).forEach((fallback, place) => {
      const problem = problemOfFallback(id, fallback, find);
      if (problem !== undefined) this.#note(["models", at, "fallback_models", place], problem);
    });
  }

  /**
   * Expands `${NAME}` and `${NAME:-default}` in values, never in keys. All missing variables are in one problem, so that they need not be
   * found one by one.
   */
  #fillInEnvironment(env: Environment): void {
    visit(this.#document, {
      Scalar: (key, node) => {
        if (key === "key" || typeof node.value !== "string") return;
        node.value = node.value.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
          if (env[name]) this.#noteFilledIn(node, env[name], name);
          const value = env[name] || fallback;
          if (value !== undefined) return value;
          if (!this.#unset.has(name)) this.#unset.set(name, this.#place(node.range?.[0] ?? 0));
          this.#unsetIn.add(node);
          this.#fromEnvironment.add(node);
          return `https://${name.toLowerCase().replaceAll("_", "-")}.invalid`;
        });
      },
    });
    const [first] = this.#unset.values();
    if (first !== undefined && !this.#mayMiss)
      this.#problems.add(`${first}: these environment variables are not set: ${this.unset.join(", ")}`);
  }

  /** Short values are not secrets, and may appear in messages. Messages quote values as JSON. */
  #noteFilledIn(node: Node, value: string, name: string): void {
    this.#fromEnvironment.add(node);
    if (value.length >= MIN_SECRET_LENGTH) this.#filledIn.set(JSON.stringify(value).slice(1, -1), `\${${name}}`);
  }

  #offsetOf(path: Path): number {
    const node: unknown = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    const parent: unknown = path.length <= 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent)
      ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === path.at(-1))
      : undefined;
    const found = (pair?.key ?? node) as { range?: [number, number, number] } | null | undefined;
    if (found?.range) return found.range[0];
    return path.length === 0 ? 0 : this.#offsetOf(path.slice(0, -1));
  }

  #place(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#name}:${Math.max(1, line)}:${Math.max(1, col)}`;
  }
}
