import { isAlias, isMap, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type ErrorCode, type Node } from "yaml";
import { problemOfGone, problemOfNews, type Kept } from "./check-changes.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { configFileSchema, type DeclaredFile } from "./file-schema.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import type { Catalog } from "../models/catalog.ts";
import { toTerms, type AccountTerms } from "../access/declared-account.ts";
import { toModel, toState, type DeclaredModel } from "../models/declared-model.ts";
import { declaredAddress, toUpstream } from "../models/declared-upstream.ts";
import type { Price } from "../money/price.ts";
import { findViolation, formatPath, type Fail, type Path } from "../lib/schema/schema.ts";
import { findUnexpectedNull } from "../lib/schema/unexpected-null.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";

/** What a config file declares. */
export interface Declared {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** The same models as the file has them. */
  readonly declaredModels: ReadonlyMap<string, DeclaredModel>;
  readonly accounts: readonly AccountTerms[];
  /** Throws, with the place in the file, where something in it, or missing from it, does not go with what is kept. */
  checkAgainst(kept: Kept): void;
}

/**
 * Reads a config file's text. `createdSeconds` is when its models were declared: the file's own time. In a file that is open to
 * all no credential may be written.
 */
export function parseConfigFile(text: string, fileName: string, env: Environment, createdSeconds: number, isOpenToAll = false): Declared {
  const file = new ConfigFile(text, fileName);
  const declared = file.read(env);
  if (isOpenToAll) file.refuseWrittenCredentials(declared);
  file.refuseRepeatedIds("upstreams", declared.upstreams);
  file.refuseRepeatedIds("models", declared.models ?? []);
  file.refuseRepeatedIds("accounts", declared.accounts ?? []);
  file.checkReferences(declared);
  const { upstreams, models = [], accounts = [] } = declared;
  const upstreamsById = new Map(upstreams.map((each) => [each.id, each]));
  const defaultPrices = (route: { upstream: string; model: string }): readonly Price[] => {
    const upstream = upstreamsById.get(route.upstream);
    const baseUrl = upstream && declaredAddress(upstream);
    return baseUrl === undefined ? [] : findDefaultPrices(baseUrl, route.model);
  };
  const catalog = models.map((model, at) => {
    const fail = file.failIn("models", at);
    return [model.id, toModel(model, { createdSeconds, state: toState(model, fail), defaultPrices }, fail)] as const;
  });
  return {
    upstreams: upstreams.map((upstream, at) => toUpstream(upstream, file.failIn("upstreams", at))),
    catalog: new Map(catalog),
    declaredModels: new Map(models.map(({ state: _state, shutdown_date: _day, replacement: _other, ...model }) => [model.id, model])),
    accounts: accounts.map((account, at) => toTerms(account, file.failIn("accounts", at))),
    checkAgainst(kept) {
      for (const [path, credential] of credentialsIn(declared)) {
        if (kept.isOwnKey(credential)) file.fail(path, "is a key of Tollgate's own, and not one that the upstream has given you");
      }
      catalog.forEach(([, model], at) => {
        const found = problemOfNews(model, kept);
        if (found) file.fail(["models", at, found.field], found.problem);
      });
      const gone = problemOfGone(kept);
      if (gone !== undefined) file.failWithoutPlace(gone);
    },
  };
}

/** For what the parser says to programmers. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: "a second document begins here, and a config file is one",
  RESOURCE_EXHAUSTION: "the file nests too deep",
};

/** What a file declares that is empty, or has only comments. */
const NOTHING: DeclaredFile = { upstreams: [] };

const MIN_SECRET_LENGTH = 8;

/** A config file while it is read: the values, and the place of each for whoever has to mend one. */
class ConfigFile {
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  /** Values that are not written in the file, or not all of them. */
  readonly #fromEnvironment = new WeakSet<Node>();
  /** What the environment has put in, and the name of each: a message has the name, because it may be a secret in a wrong place. */
  readonly #filledIn = new Map<string, string>();

  constructor(text: string, name: string) {
    this.#name = name;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    // A warning is of a tag that nobody here knows.
    const error = this.#document.errors[0] ?? this.#document.warnings[0];
    if (error) throw new ConfigError(`${this.#place(error.pos[0])}: ${WORDS[error.code] ?? error.message}`);
  }

  read(env: Environment): DeclaredFile {
    this.#fillInEnvironment(env);
    const value = this.#toValue() ?? NOTHING;
    const violation = findViolation(configFileSchema, value);
    if (violation) this.fail(violation.path, violation.message);
    // As `credential:` at the end of a line.
    const empty = findUnexpectedNull(configFileSchema, value);
    if (empty) this.fail(empty, "has no value: give it one, or leave it out");
    return { ...NOTHING, ...(value as Partial<DeclaredFile>) };
  }

  #toValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      // An alias that points nowhere, or so many that they would fill the memory.
      return this.fail([], error instanceof Error ? `cannot be read: ${error.message}` : "cannot be read");
    }
  }

  /** Stops with a message that names the place of `path`, or of the nearest thing around it that is in the file. */
  fail(path: Path, message: string): never {
    const field = formatPath(path);
    throw new ConfigError(`${this.#place(this.#offsetOf(path))}: ${field === "" ? "the file" : field} ${this.#withNames(message)}`);
  }

  #withNames(message: string): string {
    return this.#filledIn.entries().reduce((text, [value, name]) => text.replaceAll(value, () => name), message);
  }

  /** For what is wrong because it is not there. */
  failWithoutPlace(message: string): never {
    throw new ConfigError(`${this.#name}: ${message}`);
  }

  refuseRepeatedIds(list: string, items: readonly { id: string }[]): void {
    const seen = new Set<string>();
    items.forEach(({ id }, at) => {
      if (seen.has(id)) this.fail([list, at, "id"], `repeats ${JSON.stringify(id)}`);
      seen.add(id);
    });
  }

  /** Stops at a place within one item of a list. */
  failIn(list: string, at: number): Fail {
    return (path, message) => this.fail([list, at, ...path], message);
  }

  refuseWrittenCredentials(declared: DeclaredFile): void {
    const written = credentialsIn(declared).find(([path]) => !this.#fromEnvironment.has(this.#nodeAt(path)));
    if (!written) return;
    this.fail(
      written[0],
      `is written in a file that every user of this machine can read: take it from the environment, or chmod 600 ${this.#name}`,
    );
  }

  /** What an alias stands for is what counts. */
  #nodeAt(path: Path): Node {
    const node = this.#document.getIn(path, true) as Node;
    return (isAlias(node) && node.resolve(this.#document)) || node;
  }

  checkReferences({ upstreams, models = [] }: DeclaredFile): void {
    const upstreamIds = new Set(upstreams.map(({ id }) => id));
    const modelsById = new Map(models.map((model) => [model.id, model]));
    models.forEach((model, at) => {
      model.routes.forEach((route, routeAt) => {
        if (upstreamIds.has(route.upstream)) return;
        this.fail(
          ["models", at, "routes", routeAt, "upstream"],
          `names ${JSON.stringify(route.upstream)}, which is not among the upstreams`,
        );
      });
      const { replacement } = model;
      if (replacement === undefined) return;
      const target = modelsById.get(replacement);
      if (target !== undefined && target !== model && (target.state ?? "available") === "available") return;
      this.fail(["models", at, "replacement"], `must name another model that is available, and ${JSON.stringify(replacement)} is not`);
    });
  }

  /** Puts `${NAME}` and `${NAME:-default}` in their place, in values, never in keys. Stops at the first variable that is missing, and names the others too, so that nobody has to find them one by one. */
  #fillInEnvironment(env: Environment): void {
    const missing = new Map<string, string>();
    visit(this.#document, {
      Scalar: (key, node) => {
        if (key === "key" || typeof node.value !== "string") return;
        node.value = node.value.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
          if (env[name]) this.#noteFilledIn(node, env[name], name);
          const value = env[name] || fallback;
          if (value !== undefined) return value;
          if (!missing.has(name)) missing.set(name, this.#place(node.range?.[0] ?? 0));
          return "";
        });
      },
    });
    const [first] = missing.values();
    if (first !== undefined) throw new ConfigError(`${first}: the environment has no ${[...missing.keys()].join(", no ")}`);
  }

  /** What is short is no secret, and may stand in any message. Messages quote a value as JSON does. */
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

/** Every credential of a file, with the way to it. */
function credentialsIn({ upstreams }: DeclaredFile): [Path, string][] {
  return upstreams.flatMap(({ credential, credentials = [] }, at): [Path, string][] => [
    ...(credential === undefined ? [] : [[["upstreams", at, "credential"], credential] as [Path, string]]),
    ...credentials.map((each, which): [Path, string] => [["upstreams", at, "credentials", which], each]),
  ]);
}
