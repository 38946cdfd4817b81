import type { OptionalEndpoint } from "../money/attribution.ts";
import { mayCall, type CallingAccount, type ModelAllowList, type Catalog, type Model, type ModelKind } from "../models/catalog.ts";

/** The endpoint of each kind of models that chat completions cannot call. */
const ENDPOINTS: Readonly<Record<Exclude<ModelKind, "chat">, OptionalEndpoint>> = { embedding: "embeddings" };

/** The most cached lists: enough for most operators' different sets of allowed models. The cache is emptied when it is full. */
const MAX_LISTS = 1000;

/** The lists of a catalog. */
interface CatalogLists {
  readonly byAllowed: Map<string, SerializedList>;
  /** The accounts that models are restricted to. All others may share lists. */
  readonly named: ReadonlySet<string>;
}

interface SerializedList {
  /** The list as bytes. It is encoded once, because it may be long, and encoding it costs more than the rest of a reply. */
  readonly bytes: Uint8Array;
  /** When the next price takes effect: it may make another model callable. */
  readonly untilMs: number;
}

/**
 * Cache of the responses of `GET /v1/models`, one for each price list and set of allowed models, and for each account that a model is
 * restricted to. A changed model or price list makes a new catalog object, and the lists of the old one are dropped with it.
 */
export class ModelLists {
  readonly #byCatalog = new WeakMap<Catalog, CatalogLists>();

  /** The models that this key of this account may call at the endpoints that are on, as JSON. */
  listFor(key: ModelAllowList, account: CallingAccount, catalog: Catalog, nowMs: number, endpoints: Endpoints = NO_ENDPOINTS): Uint8Array {
    const { byAllowed, named } = this.#listsOf(catalog);
    const owner = named.has(account.id) ? account.id : "";
    const allowed = [key.models.join("\n"), account.models.join("\n"), owner, [...endpoints].join(" ")].join("\n\n");
    const cached = byAllowed.get(allowed);
    if (cached && nowMs < cached.untilMs) return cached.bytes;
    const list = serialize(key, account, catalog, endpoints, nowMs);
    if (byAllowed.size >= MAX_LISTS) byAllowed.clear();
    byAllowed.set(allowed, list);
    return list.bytes;
  }

  #listsOf(catalog: Catalog): CatalogLists {
    let lists = this.#byCatalog.get(catalog);
    if (!lists) {
      const named = new Set([...catalog.values()].flatMap(({ accounts }) => [...(accounts ?? [])]));
      this.#byCatalog.set(catalog, (lists = { byAllowed: new Map(), named }));
    }
    return lists;
  }
}

type Endpoints = ReadonlySet<OptionalEndpoint>;

const NO_ENDPOINTS: Endpoints = new Set();

function serialize(key: ModelAllowList, account: CallingAccount, catalog: Catalog, endpoints: Endpoints, nowMs: number): SerializedList {
  const models = [...catalog.values()].filter(({ kind }) => kind === "chat" || endpoints.has(ENDPOINTS[kind]));
  const listed = models.filter((model) => mayCall(key, account, model, nowMs));
  const coming = models.flatMap(({ prices }) => prices.map(({ effectiveAtMs }) => effectiveAtMs)).filter((atMs) => atMs > nowMs);
  const bytes = Buffer.from(JSON.stringify({ object: "list", data: listed.map(toWire) }));
  return { bytes, untilMs: coming.reduce((first, atMs) => Math.min(first, atMs), Number.POSITIVE_INFINITY) };
}

function toWire({ id, createdSeconds, ownedBy, state }: Model): Record<string, unknown> {
  const model = { id, object: "model", created: createdSeconds, owned_by: ownedBy };
  if (state.name !== "deprecated") return model;
  return { ...model, deprecated: true, shutdown_date: state.shutdownDate, replacement: state.replacement };
}
