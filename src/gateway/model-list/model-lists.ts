import { mayCall, type Allowing, type Catalog, type Model } from "../../models/catalog.ts";

/** As many as differ in what they may call, for most operators. Beyond it all are forgotten, and written anew. */
const MAX_LISTS = 1000;

interface WrittenList {
  /** In bytes, as it is sent: it may be long, and to make bytes of it costs more than the rest of a reply. */
  readonly bytes: Uint8Array;
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
  listFor(key: Allowing, account: Allowing, catalog: Catalog, nowMs: number): Uint8Array {
    if (catalog !== this.#catalog || this.#byAllowed.size >= MAX_LISTS) this.#byAllowed.clear();
    this.#catalog = catalog;
    const allowed = `${key.models.join("\n")}\n\n${account.models.join("\n")}`;
    const known = this.#byAllowed.get(allowed);
    if (known && nowMs < known.untilMs) return known.bytes;
    const written = write(key, account, catalog, nowMs);
    this.#byAllowed.set(allowed, written);
    return written.bytes;
  }
}

function write(key: Allowing, account: Allowing, catalog: Catalog, nowMs: number): WrittenList {
  const models = [...catalog.values()];
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
