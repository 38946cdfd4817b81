import { mayCall, type Allowing, type Catalog, type Model } from "../vocabulary/catalog.ts";

/** As many as differ in what they may call, for most operators. Beyond it all are forgotten, and written anew. */
const MAX_LISTS = 1000;

interface WrittenList {
  readonly text: string;
  /** When a price takes effect, and with it another model may be there. */
  readonly untilMs: number;
}

/**
 * The lists of models as callers get them, each written once for all whose keys and accounts allow the same: it is asked for more
 * often than it changes. Every change of a model makes another catalog, with which all lists end.
 */
export class ModelLists {
  readonly #byAllowed = new Map<string, WrittenList>();
  #catalog: Catalog | undefined;

  /** The models that this key of this account may call, as JSON. */
  listFor(key: Allowing, account: Allowing, catalog: Catalog, nowMs: number): string {
    if (catalog !== this.#catalog || this.#byAllowed.size >= MAX_LISTS) this.#byAllowed.clear();
    this.#catalog = catalog;
    const allowed = `${key.models.join("\n")}\n\n${account.models.join("\n")}`;
    const known = this.#byAllowed.get(allowed);
    if (known && nowMs < known.untilMs) return known.text;
    const written = write(key, account, catalog, nowMs);
    this.#byAllowed.set(allowed, written);
    return written.text;
  }
}

function write(key: Allowing, account: Allowing, catalog: Catalog, nowMs: number): WrittenList {
  const models = [...catalog.values()];
  const listed = models.filter((model) => mayCall(key, account, model, nowMs));
  const coming = models.flatMap(({ prices }) => prices.map(({ effectiveAtMs }) => effectiveAtMs)).filter((atMs) => atMs > nowMs);
  return { text: JSON.stringify({ object: "list", data: listed.map(toWire) }), untilMs: Math.min(Number.POSITIVE_INFINITY, ...coming) };
}

function toWire({ id, createdSeconds, ownedBy, state }: Model): Record<string, unknown> {
  const model = { id, object: "model", created: createdSeconds, owned_by: ownedBy };
  if (state.name !== "deprecated") return model;
  return { ...model, deprecated: true, shutdown_date: state.shutdownDate, replacement: state.replacement };
}
