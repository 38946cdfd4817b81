import type { Fail } from "../../lib/schema/schema.ts";
import { Secret } from "../../lib/secret/secret.ts";
import type { Catalog, Model } from "../catalog.ts";
import type { DeclaredModel } from "../declared-model.ts";
import type { DeclaredRoute } from "../declared-route.ts";
import { hasSameHeaders } from "./secret-headers.ts";

/** The model with the headers of its routes as secrets, so that nothing prints them. */
export function redactHeaders(declared: DeclaredModel): DeclaredModel {
  if (!declared.routes.some(({ headers }) => headers)) return declared;
  return { ...declared, routes: declared.routes.map((route) => (route.headers ? { ...route, headers: hidden(route.headers) } : route)) };
}

function hidden(headers: NonNullable<DeclaredRoute["headers"]>): NonNullable<DeclaredRoute["headers"]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? new Secret(value) : value]));
}

/** Headers in a change: null removes one, or all. */
type HeaderChanges = Readonly<Record<string, string | Secret | null>> | null | undefined;

/**
 * The headers after a change. Given headers are set, null removes a header, and all other headers stay, because nobody can read them and
 * send them again.
 */
export function changeHeaders(
  before: Readonly<Record<string, string | Secret>> | undefined,
  changes: HeaderChanges,
): Record<string, string | Secret> | undefined {
  if (changes === null) return undefined;
  const given = Object.entries(changes ?? {});
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(before ?? {}).filter(([name]) => !names.has(name.toLowerCase()));
  const all = [...kept, ...given].filter((entry): entry is [string, string | Secret] => entry[1] !== null);
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The routes after a change: a route to the same upstream model keeps its previous headers. */
export function keepHeaders<Route extends Pick<DeclaredRoute, "upstream" | "model">>(
  changed: readonly (Route & { readonly headers?: HeaderChanges })[],
  before: readonly DeclaredRoute[],
  fail: Fail,
): readonly (Omit<Route, "headers"> & Pick<DeclaredRoute, "headers">)[] {
  return changed.map(({ headers: given, ...route }, at) => {
    const same = before.filter(({ upstream, model }) => upstream === route.upstream && model === route.model);
    if (same.length > 1 && given === undefined && same.some(({ headers }) => headers)) {
      fail(["routes", at, "headers"], `is required: several routes go to ${route.upstream}/${route.model}, and one of them has headers`);
    }
    const headers = changeHeaders(same.length === 1 ? same[0]!.headers : undefined, given);
    return headers ? { ...route, headers } : route;
  });
}

/**
 * A model with a route to this upstream that adds headers; undefined if there is none. Retired models are ignored, because they send
 * nothing.
 */
export function modelWithHeadersTo(upstreamId: string, catalog: Catalog): Model | undefined {
  const adds = ({ routes }: Model): boolean => routes.some(({ upstream, headers }) => upstream === upstreamId && headers);
  return [...catalog.values()].find((model) => model.state.name !== "retired" && adds(model));
}

/** Whether two models are equal, including the headers of their routes. */
export function isSameModel(one: Model, other: Model): boolean {
  return Bun.deepEquals(one, other, true) && one.routes.every(({ headers }, at) => hasSameHeaders(headers, other.routes[at]!.headers));
}

/** The previous model, if the next model equals it. */
export function reuseModelIfEqual(before: Model, next: Model): Model {
  return isSameModel(before, next) ? before : next;
}
