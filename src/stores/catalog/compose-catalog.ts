import type { Announcement, Model } from "../../models/catalog.ts";
import { toModel, type DeclaredModel } from "../../models/declared-model.ts";
import type { Price } from "../../money/price.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import type { Callable, Declared } from "./catalog-store.ts";

/** What providers publish: the price of a model at the upstream with this address. */
export type DefaultPrices = (baseUrl: string, upstreamModel: string) => readonly Price[];

/** An operator's model as it is kept. */
export interface StoredModel {
  readonly declared: DeclaredModel;
  readonly createdAtMs: number;
}

/** What there is of each origin, and what was told of it. */
export interface StoredCatalog {
  readonly models: ReadonlyMap<string, StoredModel>;
  readonly upstreams: ReadonlyMap<string, UpstreamSettings>;
  /** Of each model, the oldest first. */
  readonly announcements: ReadonlyMap<string, readonly Announcement[]>;
  readonly file: Declared;
  readonly environment: Declared;
}

/** What there is to call, of all origins. */
export interface Composed extends Callable {
  readonly kept: StoredCatalog;
}

/** Puts the three origins together: the file's before an operator's, an operator's before the environment's. */
export function composeCatalog(kept: StoredCatalog, defaultPrices: DefaultPrices): Composed {
  const { file, environment } = kept;
  const upstreams = new Map([...byId(environment.upstreams), ...kept.upstreams, ...byId(file.upstreams)]);
  const pricesOf = (route: DeclaredModel["routes"][number]): readonly Price[] => {
    const upstream = upstreams.get(route.upstream);
    return upstream === undefined || upstream.dialect === "echo" ? [] : defaultPrices(upstream.baseUrl, route.model);
  };
  const own = [...kept.models.values()].map((model) => toOwnModel(model, kept.announcements.get(model.declared.id)!, pricesOf));
  // What was found at one address, with its prices, must not be called at another that has taken the name.
  const found = [...environment.catalog].filter(([, { routes }]) =>
    routes.every((route) => environment.upstreams.includes(upstreams.get(route.upstream)!)),
  );
  return { kept, upstreams, catalog: new Map([...found, ...own.map((model) => [model.id, model] as const), ...file.catalog]) };
}

/** Its state is the one that was last told. */
function toOwnModel(
  { declared, createdAtMs }: StoredModel,
  announcements: readonly Announcement[],
  defaultPrices: (route: DeclaredModel["routes"][number]) => readonly Price[],
): Model {
  const context = { createdSeconds: Math.floor(createdAtMs / 1000), state: announcements.at(-1)!.state, defaultPrices };
  return toModel(declared, context, (path, message) => {
    throw new Error(`the model ${declared.id} cannot be kept: ${path.join(".")} ${message}`);
  });
}

function byId(upstreams: readonly UpstreamSettings[]): [string, UpstreamSettings][] {
  return upstreams.map((each) => [each.id, each]);
}
