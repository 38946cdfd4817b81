import { setImmediate as nextTurn } from "node:timers/promises";
import { TopN } from "../lib/collections/top-n.ts";
import type { Schema } from "../lib/schema/schema.ts";
import { ApiError } from "../requests/api-error.ts";
import type { Cursors } from "./cursors.ts";
import type { QueryOf, QuerySchemas } from "./operation.ts";
import { pageQuery, pageSchema, readPage, toPage, type Page } from "./paging.ts";

/** The number of items per turn of the event loop. They block it for about a millisecond. */
const ITEMS_AT_ONCE = 2000;

const DIRECTIONS = ["asc", "desc"] as const;

/** A sort order: the value of an item that is compared, and the direction, unless the caller requests the other one. */
interface SortOrder<Item> {
  readonly valueOf: (item: Item) => string | number;
  readonly direction: (typeof DIRECTIONS)[number];
}

/** The sort orders of a list by their names in the API. The first is the default. */
export type SortOrders<Item> = Readonly<Record<string, SortOrder<Item>>>;

type SortedListQuery = QueryOf<ReturnType<typeof sortedListQuery<readonly string[]>>>;

/** The query parameters of a sorted list. */
export function sortedListQuery<const Sorts extends readonly string[]>(nouns: string, sorts: Sorts, note = "") {
  return {
    archived: {
      type: "string",
      enum: ["true", "false"],
      description: `\`true\`: only archived ${nouns}. Default: only the others.`,
    },
    sort: { type: "string", enum: sorts, description: `Sort order. Default: \`${sorts[0]}\`. ${note}`.trim() },
    direction: {
      type: "string",
      enum: DIRECTIONS,
      description: "Default: the direction of the sort order, such as A to Z for names, and the newest first for `created`.",
    },
    ...pageQuery,
  } as const satisfies QuerySchemas;
}

/** A page of a sorted list, and the number of matching items. */
export function sortedListSchema<const Item extends Schema>(title: string, item: Item) {
  const page = pageSchema(title, item);
  const total = { type: "integer", description: "The number of matches on all pages." } as const satisfies Schema;
  return { ...page, required: [...page.required, "total"], properties: { ...page.properties, total } } as const satisfies Schema;
}

interface SortedList<Item, View> {
  readonly items: readonly Item[];
  readonly isMatch: (item: Item) => boolean;
  readonly sorts: SortOrders<Item>;
  /** Called with the items of the page. */
  readonly viewer: (page: readonly Item[]) => Promise<(item: Item) => View> | ((item: Item) => View);
}

type Position = readonly [value: string | number, id: string];

/**
 * A page of records in memory, in any order: one pass, without sorting all of them. If the compared value of an item changes between two
 * pages, such as its spend, the item may be on both pages or on neither.
 */
export async function sortedPage<Item extends { readonly id: string }, View>(
  query: SortedListQuery,
  cursors: Cursors,
  { items, isMatch, sorts, viewer }: SortedList<Item, View>,
): Promise<Page<View> & { readonly total: number }> {
  const sort = query.sort ?? Object.keys(sorts)[0]!;
  const { valueOf, direction: usual } = sorts[sort]!;
  const direction = query.direction ?? usual;
  const { limit, after } = readPage(query, cursors, ["string", "string", "string"]);
  const from = after && readPosition(after, sort, direction);
  const compare = comparison(direction);
  const first = new TopN<readonly [...Position, Item]>(limit + 1, compare);
  let total = 0;
  let looked = 0;
  for (const item of items) {
    if (++looked % ITEMS_AT_ONCE === 0) await nextTurn();
    if (!isMatch(item)) continue;
    total += 1;
    const positioned = [valueOf(item), item.id, item] as const;
    if (!from || compare(positioned, from) > 0) first.add(positioned);
  }
  const found = first.inOrder().map(([, , item]) => item);
  const view = await viewer(found.slice(0, limit));
  const positionOf = (item: Item): string[] => [`${sort} ${direction}`, JSON.stringify(valueOf(item)), item.id];
  return { ...toPage(cursors, found, limit, view, positionOf), total };
}

type SortPosition = readonly [string | number, string, ...unknown[]];

function comparison(direction: "asc" | "desc"): (one: SortPosition, other: SortPosition) => number {
  const sign = direction === "asc" ? 1 : -1;
  return (one, other) => sign * (compareValues(one[0], other[0]) || compareValues(one[1], other[1]));
}

function compareValues(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function readPosition([order, value, id]: readonly [string, string, string], sort: string, direction: string): Position {
  if (order === `${sort} ${direction}`) return [JSON.parse(value) as string | number, id];
  throw new ApiError("invalid_value", "cursor must be `next` of a page with the same `sort` and `direction`.", { param: "cursor" });
}

/** Whether the list contains the item: archived items are in a separate list. */
export function isListed({ archived }: SortedListQuery, archivedAtMs: number | null): boolean {
  return (archived === "true") === (archivedAtMs !== null);
}

/** A case-insensitive search for a text. */
export function searchFor(text: string | undefined): (...texts: readonly string[]) => boolean {
  if (text === undefined) return () => true;
  const wanted = text.toLowerCase();
  return (...texts) => texts.some((each) => each.toLowerCase().includes(wanted));
}
