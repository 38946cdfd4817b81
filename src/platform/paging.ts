import { GatewayError } from "../requests/gateway-error.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Cursors } from "./cursors.ts";
import { Reply } from "../lib/http1/server/reply.ts";

const DEFAULT_LIMIT = 50;

/** What every list takes. */
export const pageQuery = {
  limit: { type: "integer", minimum: 1, maximum: 1000, description: `How many to give, ${DEFAULT_LIMIT} if it is left out.` },
  cursor: { type: "string", maxLength: 1000, description: "Where to go on: `next` of the page before." },
} as const satisfies Record<string, Schema>;

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** What a list gives: a page, and where the next one begins. */
export function pageSchema(title: string, item: Schema): Schema {
  return {
    title,
    type: "object",
    required: ["data", "next"],
    properties: {
      data: { type: "array", items: item },
      next: { type: "string", nullable: true, description: "The `cursor` of the next page, or null on the last one." },
    },
  };
}

/** The place after the last item that was seen: whatever the order of the list needs, such as a time and an id. */
export type Place = readonly (string | number)[];

type Kinds = readonly ("number" | "string")[];
type PlaceOf<K extends Kinds> = { readonly [At in keyof K]: K[At] extends "number" ? number : string };

/** Where a page begins, and how long it is. Without a cursor it is the first. `kinds` are those of the parts of a place. */
export function readPage<const K extends Kinds>(
  { limit, cursor }: PageQuery,
  cursors: Cursors,
  kinds: K,
): { limit: number; after: PlaceOf<K> | undefined } {
  const after = cursor === undefined ? undefined : (readCursor(cursor, cursors, kinds) as unknown as PlaceOf<K>);
  return { limit: limit ?? DEFAULT_LIMIT, after };
}

/**
 * The page of a list of which one item more than asked for was looked up, to know whether there is a next. `beside` is what the
 * reply tells of all of them.
 */
export function toPage<Item>(
  cursors: Cursors,
  items: readonly Item[],
  limit: number,
  view: (item: Item) => object,
  placeOf: (item: Item) => Place,
  beside: object = {},
): Reply {
  const page = items.slice(0, limit);
  const next = items.length > limit ? cursors.seal(placeOf(page.at(-1)!)) : null;
  return Reply.json({ data: page.map(view), next, ...beside });
}

function readCursor(cursor: string, cursors: Cursors, kinds: readonly string[]): unknown[] {
  const place = cursors.open(cursor);
  if (Array.isArray(place) && kinds.length === place.length && kinds.every((kind, at) => typeof place[at] === kind)) return place;
  throw new GatewayError("invalid_value", "cursor must be the next of an earlier page.", { param: "cursor" });
}
