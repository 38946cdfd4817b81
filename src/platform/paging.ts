import { ApiError } from "../requests/api-error.ts";
import type { Schema } from "../lib/schema/schema.ts";
import type { Cursors } from "./cursors.ts";
import type { QueryOf } from "./operation.ts";

const DEFAULT_LIMIT = 50;

/** The pagination parameters of every list. */
export const pageQuery = {
  limit: { type: "integer", minimum: 1, maximum: 1000, description: `The page size. Default: ${DEFAULT_LIMIT}.` },
  cursor: { type: "string", maxLength: 1000, description: "The position to continue from: `next` of the previous page." },
} as const satisfies Record<string, Schema>;

export type PageQuery = QueryOf<typeof pageQuery>;

/** A page of a list, with the cursor of the next page. */
export function pageSchema<const Item extends Schema>(title: string, item: Item) {
  return {
    title,
    type: "object",
    required: ["data", "next"],
    properties: {
      data: { type: "array", items: item },
      next: { type: "string", nullable: true, description: "The `cursor` of the next page; null on the last page." },
    },
  } as const satisfies Schema;
}

/** The position of the last returned item. It contains the values that the order of the list needs, such as a time and an ID. */
export type Position = readonly (string | number)[];

/** The types of the parts of a position. */
type Kinds = readonly ("number" | "string")[];
type PositionOf<K extends Kinds> = { readonly [At in keyof K]: K[At] extends "number" ? number : string };

/** The start and size of a page. Without a cursor it is the first page. `kinds` are the types of the list's positions. */
export function readPage<const K extends Kinds>(
  { limit, cursor }: PageQuery,
  cursors: Cursors,
  kinds: K,
): { limit: number; after: PositionOf<K> | undefined } {
  const after = cursor === undefined ? undefined : (readCursor(cursor, cursors, kinds) as unknown as PositionOf<K>);
  return { limit: limit ?? DEFAULT_LIMIT, after };
}

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next: string | null;
}

/** A page of a list. If there are more items, the caller passes at least one item more than `limit`, so that a next page is detected. */
export function toPage<Item, View>(
  cursors: Cursors,
  items: readonly Item[],
  limit: number,
  view: (item: Item) => View,
  positionOf: (item: Item) => Position,
): Page<View> {
  const page = items.slice(0, limit);
  const next = items.length > limit ? cursors.seal(positionOf(page.at(-1)!)) : null;
  return { data: page.map(view), next };
}

function readCursor(cursor: string, cursors: Cursors, kinds: readonly string[]): unknown[] {
  const position = cursors.open(cursor);
  if (Array.isArray(position) && kinds.length === position.length && kinds.every((kind, at) => typeof position[at] === kind))
    return position;
  throw new ApiError("invalid_value", "cursor must be `next` of an earlier page.", { param: "cursor" });
}
