import { ApiError } from "../requests/api-error.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Cursors } from "./cursors.ts";
import { Reply } from "../lib/http1/server/reply.ts";

const DEFAULT_LIMIT = 50;

/** The pagination parameters of every list. */
export const pageQuery = {
  limit: { type: "integer", minimum: 1, maximum: 1000, description: `The page size. Default: ${DEFAULT_LIMIT}.` },
  cursor: { type: "string", maxLength: 1000, description: "The position to continue from: `next` of the previous page." },
} as const satisfies Record<string, Schema>;

export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** A page of a list, with the cursor of the next page. */
export function pageSchema(title: string, item: Schema): Schema {
  return {
    title,
    type: "object",
    required: ["data", "next"],
    properties: {
      data: { type: "array", items: item },
      next: { type: "string", nullable: true, description: "The `cursor` of the next page; null on the last page." },
    },
  };
}

/** The position of the last returned item: whatever the order of the list needs, such as a time and an id. */
export type Place = readonly (string | number)[];

type Kinds = readonly ("number" | "string")[];
type PlaceOf<K extends Kinds> = { readonly [At in keyof K]: K[At] extends "number" ? number : string };

/** The start and size of a page. Without a cursor it is the first page. `kinds` are the types of the parts of a position. */
export function readPage<const K extends Kinds>(
  { limit, cursor }: PageQuery,
  cursors: Cursors,
  kinds: K,
): { limit: number; after: PlaceOf<K> | undefined } {
  const after = cursor === undefined ? undefined : (readCursor(cursor, cursors, kinds) as unknown as PlaceOf<K>);
  return { limit: limit ?? DEFAULT_LIMIT, after };
}

/** A page of a list, of which one item more than requested was read to detect a next page. `beside` has fields about the whole list. */
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
  throw new ApiError("invalid_value", "cursor must be `next` of an earlier page.", { param: "cursor" });
}
