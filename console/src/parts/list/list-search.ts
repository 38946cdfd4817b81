import type { DataColumn, Sort, SortDirection } from "../data-table/data-column.ts";

/** The query parameters that every list has, in the URL of its page and in the API. */
export interface ListSearch {
  readonly sort?: string;
  readonly direction?: string;
  /** `true`: archived entries only. */
  readonly archived?: string;
}

export const LIST_SEARCH = ["sort", "direction", "archived"] as const;

type SortableColumn = Pick<DataColumn<never>, "id" | "sorts">;

/** The sort of a list. Sortable columns have the IDs and directions of the API; `usual` is the API's default. */
export function sortOf({ sort, direction }: ListSearch, columns: readonly SortableColumn[], usual: string): Sort {
  const given = direction === "asc" ? "ascending" : direction === "desc" ? "descending" : undefined;
  const column = sort ?? usual;
  return { column, direction: given ?? directionOf(column, columns) };
}

/** The query parameters of a sort. Defaults are empty, so that URLs stay short. */
export function searchOf(
  { column, direction }: Sort,
  columns: readonly SortableColumn[],
  usual: string,
): Required<Omit<ListSearch, "archived">> {
  const isUsual = direction === directionOf(column, columns);
  return { sort: column === usual ? "" : column, direction: isUsual ? "" : direction === "ascending" ? "asc" : "desc" };
}

function directionOf(column: string, columns: readonly SortableColumn[]): SortDirection {
  return columns.find(({ id }) => id === column)?.sorts ?? "ascending";
}

export function keyOf({ id }: { readonly id: string }): string {
  return id;
}

/** The query parameters that filter the entries. */
export function filtersOf(search: ListSearch): Omit<ListSearch, "sort" | "direction"> {
  const { sort: _, direction: _direction, ...filters } = search;
  return filters;
}

/** Whether a filter is set. If so, an empty list does not mean that there are no entries at all. */
export function hasFilters(search: ListSearch): boolean {
  return Object.keys(filtersOf(search)).length > 0;
}
