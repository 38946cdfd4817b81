import type { Model } from "../models/catalog.ts";
import { isWildcard } from "../models/model-id.ts";
import type { DiscoveredModel } from "../models/wildcard.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";
import type { Log } from "../lib/log/log.ts";
import type { CatalogStore } from "../stores/catalog/catalog-store.ts";
import type { Discovery } from "../upstreams/discover-models.ts";
import { messageOf } from "../lib/text/message-of.ts";

const CHECK_EVERY_MS = 5_000;
const LIST_EVERY_MS = 3_600_000;
const RETRY_AFTER_MS = 60_000;
/**
 * When the list of a removed upstream is deleted. Another process may still have that upstream in its environment; it would have listed the
 * models again by then.
 */
const FORGET_AFTER_MS = 24 * LIST_EVERY_MS;

/** More than any provider lists. Without a limit, a hostile server could fill the catalog. */
const MAX_MODELS = 2_000;

interface WildcardDiscoveryOptions {
  readonly catalog: Pick<CatalogStore, "snapshot" | "upstreams" | "discovered" | "recordDiscovered" | "forgetDiscovered" | "onChange">;
  readonly discover: (upstream: RemoteSettings) => Promise<Discovery>;
  readonly log: Pick<Log, "write">;
  readonly nowMs: () => number;
}

/**
 * Lists the models of the upstreams of wildcard models: at the start, after a change, and every hour. If a list cannot be read again, the
 * previous list stays in force. Processes that share a database share the lists, so that the first process calls the provider on behalf of
 * all.
 */
export class WildcardDiscovery {
  readonly #options: WildcardDiscoveryOptions;
  /** The last attempts of this process, by upstream. */
  readonly #attempts = new Map<string, { readonly upstream: RemoteSettings; readonly atMs: number }>();
  readonly #failed = new Set<string>();
  #timer: Timer | undefined;

  constructor(options: WildcardDiscoveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref();
    this.#options.catalog.onChange(() => {
      if (this.#timer) this.check();
    });
    this.check();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  check(): void {
    for (const upstream of this.#upstreams()) {
      if (this.#isDue(upstream)) void this.#list(upstream);
      else this.#remember(upstream);
    }
    for (const id of this.#removed()) void this.#forget(id);
  }

  /** Upstreams that were removed from the config file or the environment while no process was running. */
  #removed(): string[] {
    const { catalog, nowMs } = this.#options;
    const lists = [...catalog.discovered().values()].filter(({ upstream }) => !catalog.upstreams().has(upstream));
    return lists.filter(({ foundAtMs }) => nowMs() - foundAtMs >= FORGET_AFTER_MS).map(({ upstream }) => upstream);
  }

  async #forget(upstream: string): Promise<void> {
    try {
      await this.#options.catalog.forgetDiscovered(upstream);
    } catch {
      // The database cannot be written. The next check retries.
    }
  }

  /** The upstreams of wildcard models. */
  #upstreams(): RemoteSettings[] {
    const { catalog } = this.#options;
    const wildcards = [...catalog.snapshot().values()].filter(({ id, state }) => isWildcard(id) && state.name !== "retired");
    const ids = new Set(wildcards.flatMap(({ routes }) => routes.map(({ upstream }) => upstream)));
    return [...ids].map((id) => catalog.upstreams().get(id)).filter((each) => each !== undefined && each.dialect !== "echo");
  }

  #isDue(upstream: RemoteSettings): boolean {
    const { catalog, nowMs } = this.#options;
    const attempt = this.#attempts.get(upstream.id);
    // With another credential, the upstream may list other models, or list models for the first time.
    if (attempt && attempt.upstream !== upstream) return true;
    const listed = catalog.discovered().get(upstream.id);
    if (listed?.baseUrl === upstream.baseUrl && nowMs() - listed.foundAtMs < LIST_EVERY_MS) return false;
    return !attempt || nowMs() - attempt.atMs >= RETRY_AFTER_MS;
  }

  /**
   * Remembers the current settings of an upstream whose list is from another process, or from before a restart, so that a later change of
   * its credential is noticed.
   */
  #remember(upstream: RemoteSettings): void {
    if (!this.#attempts.has(upstream.id)) this.#attempts.set(upstream.id, { upstream, atMs: Number.NEGATIVE_INFINITY });
  }

  async #list(upstream: RemoteSettings): Promise<void> {
    const { catalog, discover, nowMs } = this.#options;
    const { id, baseUrl } = upstream;
    this.#attempts.set(id, { upstream, atMs: nowMs() });
    try {
      const { models, problem } = await discover(upstream);
      if (this.#attempts.get(id)?.upstream !== upstream) return;
      if (problem !== undefined) return this.#report(id, problem);
      await catalog.recordDiscovered({ upstream: id, baseUrl, models: models.slice(0, MAX_MODELS).map(toDiscovered), foundAtMs: nowMs() });
      this.#report(id, undefined);
    } catch (error) {
      this.#report(id, messageOf(error));
    }
  }

  /** Logs once for each failure, and once after recovery. */
  #report(upstream: string, problem: string | undefined): void {
    const { log } = this.#options;
    if (problem !== undefined && !this.#failed.has(upstream)) {
      this.#failed.add(upstream);
      const message = `the models of the upstream ${upstream} cannot be listed, and its wildcard models stay as they are: ${problem}`;
      log.write({ level: "warn", event: "discovery_failed", message });
    } else if (problem === undefined && this.#failed.delete(upstream)) {
      log.write({ event: "discovery_recovered", message: `the models of the upstream ${upstream} were listed again` });
    }
  }
}

function toDiscovered({ id, kind, routes, ownedBy, createdSeconds, contextWindow, maxOutputTokens }: Model): DiscoveredModel {
  return { name: id, upstreamModel: routes[0]!.upstreamModel, kind, ownedBy, createdSeconds, contextWindow, maxOutputTokens };
}
