import { isAlias, isMap, isPair, isScalar, LineCounter, parseDocument, visit, type Document, type ErrorCode, type Node } from "yaml";
import { problemOfRemovals, problemOfNewState, type StoredState } from "./check-changes.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { configFileSchema, credentialsIn, type DeclaredFile } from "./file-schema.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import { isCovered, type Catalog } from "../models/catalog.ts";
import { isWildcard } from "../models/model-id.ts";
import { toTerms, type AccountTerms } from "../access/declared-account.ts";
import { checkWildcard, toModel, toState, type DeclaredModel, type DeclaredState } from "../models/declared-model.ts";
import { fallbackIdsIn, problemOfFallback, type KnownModel } from "../models/fallbacks.ts";
import { toPriceList } from "../models/prices/declared-price-list.ts";
import type { PriceList } from "../models/prices/price-list.ts";
import { declaredAddress, toUpstream } from "../models/declared-upstream.ts";
import type { Price } from "../money/price.ts";
import { findViolation, formatPath, type Fail, type Path } from "../lib/schema/schema.ts";
import { findUnexpectedNull } from "../lib/schema/unexpected-null.ts";
import { Secret } from "../lib/secret/secret.ts";
import { checkRoutes } from "../requests/routes/check-routes.ts";
import { hideHeaders } from "../models/headers/route-headers.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";

/** A config file as it was read. */
export interface FileCopy {
  readonly path: string;
  readonly createdSeconds: number;
  /** What it declares, with its variables filled in, as JSON. */
  readonly declarations: Secret;
}

/** The declarations of a config file. */
export interface Declared {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** The file, for other processes. Undefined where no file declares this. */
  readonly copy?: FileCopy;
  /** The same models, as written in the file. */
  readonly declaredModels: ReadonlyMap<string, DeclaredModel>;
  readonly priceLists: readonly PriceList[];
  readonly accounts: readonly AccountTerms[];
  /** Throws, with the position in the file, when a declaration conflicts with the stored state. */
  checkAgainst(stored: StoredState): void;
}

/**
 * Parses a config file. `createdSeconds` is the creation time of its models: the file's modification time. A world-readable file must not
 * contain credentials. Without an environment it is a copy, whose variables are filled in: errors name the field, and show no value.
 */
export function parseConfigFile(
  text: string,
  fileName: string,
  env: Environment | undefined,
  createdSeconds: number,
  isOpenToAll = false,
): Declared {
  const file = new ConfigFile(text, fileName, env === undefined);
  const declared = file.read(env);
  if (isOpenToAll) file.refuseWrittenCredentials(declared);
  file.refuseRepeatedIds("upstreams", declared.upstreams);
  file.refuseRepeatedIds("models", declared.models ?? []);
  file.refuseRepeatedIds("price_lists", declared.price_lists ?? []);
  file.refuseRepeatedIds("accounts", declared.accounts ?? []);
  file.checkReferences(declared);
  const { upstreams, models = [], price_lists: priceLists = [], accounts = [] } = declared;
  const upstreamsById = new Map(upstreams.map((each) => [each.id, each]));
  const defaultPrices = (route: { upstream: string; model: string }): readonly Price[] => {
    const upstream = upstreamsById.get(route.upstream);
    const baseUrl = upstream && declaredAddress(upstream);
    return baseUrl === undefined ? [] : findDefaultPrices(baseUrl, route.model);
  };
  const catalog = models.map((model, at) => {
    const fail = file.failIn("models", at);
    checkWildcard(model, fail);
    return [model.id, toModel(model, { createdSeconds, state: toState(model, fail), defaultPrices }, fail)] as const;
  });
  const settings = new Map(upstreams.map((upstream, at) => [upstream.id, toUpstream(upstream, file.failIn("upstreams", at))]));
  catalog.forEach(([, model], at) => checkRoutes(model, (id) => settings.get(id), file.failIn("models", at)));
  return {
    copy: { path: fileName, createdSeconds, declarations: new Secret(JSON.stringify(declared)) },
    upstreams: [...settings.values()],
    catalog: new Map(catalog),
    declaredModels: new Map(
      models.map(({ state: _state, shutdown_date: _day, replacement: _other, ...model }) => [model.id, hideHeaders(model)]),
    ),
    priceLists: priceLists.map((list, at) => toPriceList(list, file.failIn("price_lists", at))),
    accounts: accounts.map((account, at) => toTerms(account, file.failIn("accounts", at))),
    checkAgainst(stored) {
      for (const [path, credential] of credentialsIn(declared)) {
        if (stored.isOwnKey(credential)) file.fail(path, "is a key of Tollgate's own, not a credential of the upstream");
      }
      catalog.forEach(([, model], at) => {
        const found = problemOfNewState(model, stored);
        if (found) file.fail(["models", at, found.field], found.problem);
      });
      accounts.forEach(({ price_list: list }, at) => {
        if (typeof list !== "string" || stored.priceLists.has(list)) return;
        file.fail(["accounts", at, "price_list"], `names ${JSON.stringify(list)}, and there is no such price list`);
      });
      accounts.forEach(({ id, attribution }, at) => {
        const keyId = attribution === "off" ? stored.keyWithParts(id) : undefined;
        const problem = `cannot be off: the key ${keyId} has limits or spend caps per end user or tag, clear them first`;
        if (keyId !== undefined) file.fail(["accounts", at, "attribution"], problem);
      });
      const gone = problemOfRemovals(stored);
      if (gone !== undefined) file.failWithoutPlace(gone);
    },
  };
}

/** Replaces parser messages that are meant for programmers. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  MULTIPLE_DOCS: "a second document starts here, but a config file has only one",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
};

/** The declarations of a file that is empty, or has only comments. */
const NOTHING: DeclaredFile = { upstreams: [] };

const MIN_SECRET_LENGTH = 8;

/** A config file while it is read: its values, and the position of each for error messages. */
class ConfigFile {
  readonly #name: string;
  /** Any value of a copy may be a secret, and its positions are not those of the file. */
  readonly #isCopy: boolean;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  /** Values that are not, or not completely, written in the file. */
  readonly #fromEnvironment = new WeakSet<Node>();
  /** Values from the environment with their variable names. Messages show the name, because the value may be a misplaced secret. */
  readonly #filledIn = new Map<string, string>();

  constructor(text: string, name: string, isCopy: boolean) {
    this.#name = name;
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
    const violation = findViolation(configFileSchema, value);
    if (violation) this.fail(violation.path, violation.message);
    // Such as `credential:` at the end of a line.
    const empty = findUnexpectedNull(configFileSchema, value);
    if (empty) this.fail(empty, "has no value: set one, or omit the field");
    return { ...NOTHING, ...(value as Partial<DeclaredFile>) };
  }

  #toValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      // An alias without an anchor, or an alias bomb.
      return this.fail([], error instanceof Error ? `cannot be read: ${error.message}` : "cannot be read");
    }
  }

  /** Fails with a message that names the position of `path`, or of its nearest ancestor in the file. */
  fail(path: Path, message: string): never {
    const field = formatPath(path) || "the file";
    if (this.#isCopy) throw new ConfigError(`${this.#name}: ${field} is not valid in this version of Tollgate`);
    throw new ConfigError(`${this.#place(this.#offsetOf(path))}: ${field} ${this.#withNames(message)}`);
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
      if (seen.has(id)) this.fail([list, at, "id"], `repeats ${JSON.stringify(id)}`);
      seen.add(id);
    });
  }

  /** Fails at a position within an item of a list. */
  failIn(list: string, at: number): Fail {
    return (path, message) => this.fail([list, at, ...path], message);
  }

  refuseWrittenCredentials(declared: DeclaredFile): void {
    const written = credentialsIn(declared).find(([path]) => !this.#fromEnvironment.has(this.#nodeAt(path)));
    if (!written) return;
    this.fail(
      written[0],
      `is written in a file that every user of this machine can read: use an environment variable, or chmod 600 ${this.#name}`,
    );
  }

  /** Aliases are resolved. */
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
          `names ${JSON.stringify(route.upstream)}, which is not one of the upstreams`,
        );
      });
      if (model.mirror && !upstreamIds.has(model.mirror.upstream)) {
        this.fail(
          ["models", at, "mirror", "upstream"],
          `names ${JSON.stringify(model.mirror.upstream)}, which is not one of the upstreams`,
        );
      }
      if (model.state !== "retired") this.#checkFallbacks(model, at, modelsById);
      const { replacement } = model;
      if (replacement === undefined) return;
      const target = modelsById.get(replacement);
      if (target !== undefined && target !== model && (target.state ?? "available") === "available") return;
      this.fail(["models", at, "replacement"], `must name another available model; ${JSON.stringify(replacement)} is not one`);
    });
  }

  #checkFallbacks(
    { id, fallback_models: declared }: DeclaredModel,
    at: number,
    models: ReadonlyMap<string, DeclaredModel & DeclaredState>,
  ): void {
    const find = (name: string): KnownModel | undefined => {
      // The models that a wildcard model stands for have its fallbacks.
      const model = models.get(name) ?? models.values().find((each) => isWildcard(each.id) && isCovered([each.id], name));
      return model && { isRetired: model.state === "retired", fallbacks: fallbackIdsIn(model.fallback_models) };
    };
    fallbackIdsIn(declared).forEach((fallback, place) => {
      const problem = problemOfFallback(id, fallback, find);
      if (problem !== undefined) this.fail(["models", at, "fallback_models", place], problem);
    });
  }

  /**
   * Expands `${NAME}` and `${NAME:-default}` in values, never in keys. Fails at the first missing variable and names all others, so that
   * they need not be found one by one.
   */
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
    if (first !== undefined) throw new ConfigError(`${first}: these environment variables are not set: ${[...missing.keys()].join(", ")}`);
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
