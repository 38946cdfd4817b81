import { isMap, isPair, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import { ConfigError, type Environment } from "./config-error.ts";
import { pricesOf } from "./config-price.ts";
import { configFileSchema, type DeclaredModel, type DeclaredUpstream } from "./config-schema.ts";
import { problemOfBaseUrl } from "./vocabulary/base-url.ts";
import type { Catalog, Model, ModelState } from "./vocabulary/catalog.ts";
import { parseIsoDate } from "./vocabulary/iso-date.ts";
import { findViolation, formatPath } from "./vocabulary/schema.ts";
import { Secret } from "./vocabulary/secret.ts";
import { DEFAULT_TIMEOUTS, type UpstreamSettings } from "./vocabulary/upstream-settings.ts";

type Path = readonly (string | number)[];

/** What a config file declares. */
export interface Declared {
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
}

/** Reads a config file's text. `createdSeconds` is when its models were declared: the file's own time. */
export function parseConfigFile(text: string, fileName: string, env: Environment, createdSeconds: number): Declared {
  const file = new ConfigFile(text, fileName);
  const { upstreams, models } = file.read(env);
  file.refuseRepeatedIds("upstreams", upstreams);
  file.refuseRepeatedIds("models", models);
  models.forEach((model, at) => file.checkReferences(model, at, upstreams, models));
  return {
    upstreams: upstreams.map((upstream, at) => file.toUpstream(upstream, at)),
    catalog: new Map(models.map((model, at) => [model.id, file.toModel(model, at, upstreams, createdSeconds)])),
  };
}

/** A config file while it is read: the values, and the place of each for whoever has to mend one. */
class ConfigFile {
  readonly #name: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;

  constructor(text: string, name: string) {
    this.#name = name;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
    const error = this.#document.errors[0];
    if (error) throw new ConfigError(`${this.#place(error.pos[0])}: ${error.message}`);
  }

  read(env: Environment): { upstreams: DeclaredUpstream[]; models: DeclaredModel[] } {
    this.#fillInEnvironment(env);
    const value = this.#toValue();
    const violation = findViolation(configFileSchema, value);
    if (violation) this.fail(violation.path, violation.message);
    return value as { upstreams: DeclaredUpstream[]; models: DeclaredModel[] };
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
    throw new ConfigError(`${this.#place(this.#offsetOf(path))}: ${field === "" ? "the file" : field} ${message}`);
  }

  refuseRepeatedIds(list: string, items: readonly { id: string }[]): void {
    items.forEach((item, at) => {
      if (items.findIndex((other) => other.id === item.id) < at) this.fail([list, at, "id"], `repeats ${JSON.stringify(item.id)}`);
    });
  }

  checkReferences(model: DeclaredModel, at: number, upstreams: readonly DeclaredUpstream[], models: readonly DeclaredModel[]): void {
    model.routes.forEach((route, routeAt) => {
      if (upstreams.some((upstream) => upstream.id === route.upstream)) return;
      this.fail(["models", at, "routes", routeAt, "upstream"], `names ${JSON.stringify(route.upstream)}, which is not among the upstreams`);
    });
    const target = models.find((other) => other.id === model.replacement);
    if (model.replacement !== undefined && (target === undefined || target === model || (target.state ?? "available") !== "available")) {
      this.fail(
        ["models", at, "replacement"],
        `must name another model that is available, and ${JSON.stringify(model.replacement)} is not`,
      );
    }
  }

  toUpstream(upstream: DeclaredUpstream, at: number): UpstreamSettings {
    if (upstream.dialect === "echo") return { id: upstream.id, dialect: "echo" };
    const { connect_ms, first_byte_ms, between_chunks_ms, total_ms } = upstream.timeouts ?? {};
    return {
      id: upstream.id,
      dialect: upstream.dialect,
      baseUrl: this.#toBaseUrl(upstream, ["upstreams", at, "base_url"]),
      allowPrivate: upstream.allow_private ?? false,
      credential: upstream.credential === undefined ? undefined : new Secret(upstream.credential),
      timeouts: {
        connectMs: connect_ms ?? DEFAULT_TIMEOUTS.connectMs,
        firstByteMs: first_byte_ms ?? DEFAULT_TIMEOUTS.firstByteMs,
        betweenChunksMs: between_chunks_ms ?? DEFAULT_TIMEOUTS.betweenChunksMs,
        totalMs: total_ms ?? DEFAULT_TIMEOUTS.totalMs,
      },
    };
  }

  toModel(model: DeclaredModel, at: number, upstreams: readonly DeclaredUpstream[], createdSeconds: number): Model {
    return {
      id: model.id,
      ownedBy: model.owned_by ?? "tollgate",
      createdSeconds,
      state: this.#toState(model, at),
      routes: model.routes.map((route) => ({ upstream: route.upstream, upstreamModel: route.model })),
      prices: pricesOf(model, upstreams.find(({ id }) => id === model.routes[0]!.upstream)?.base_url, (path, message) =>
        this.fail(["models", at, ...path], message),
      ),
      contextWindow: model.context_window,
      maxOutputTokens: model.max_output_tokens,
    };
  }

  #toBaseUrl({ base_url: text, allow_private: allowPrivate }: DeclaredUpstream, path: Path): string {
    if (text === undefined) this.fail(path, "is required for this dialect");
    const problem = problemOfBaseUrl(text, allowPrivate ?? false);
    if (problem !== undefined) this.fail(path, problem);
    return text;
  }

  #toState({ state, shutdown_date: shutdownDate, replacement }: DeclaredModel, at: number): ModelState {
    const path: Path = ["models", at];
    if (state === "deprecated") {
      if (shutdownDate === undefined) this.fail([...path, "shutdown_date"], "is required on a deprecated model");
      if (parseIsoDate(shutdownDate) === undefined) this.fail([...path, "shutdown_date"], "is not a day of the calendar");
      if (replacement === undefined) this.fail([...path, "replacement"], "is required on a deprecated model");
      return { name: "deprecated", shutdownDate, replacement };
    }
    if (shutdownDate !== undefined) this.fail([...path, "shutdown_date"], "goes with state: deprecated only");
    if (state === "retired") {
      if (replacement === undefined) this.fail([...path, "replacement"], "is required on a retired model");
      return { name: "retired", replacement };
    }
    if (replacement !== undefined) this.fail([...path, "replacement"], "goes with state: deprecated or retired only");
    return { name: "available" };
  }

  /** Puts `${NAME}` and `${NAME:-default}` in their place, in values, never in keys. */
  #fillInEnvironment(env: Environment): void {
    visit(this.#document, {
      Scalar: (key, node) => {
        if (key === "key" || typeof node.value !== "string") return;
        node.value = node.value.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
          const value = env[name] || fallback;
          if (value !== undefined) return value;
          throw new ConfigError(`${this.#place(node.range?.[0] ?? 0)}: the environment has no ${name}`);
        });
      },
    });
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
