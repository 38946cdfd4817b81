import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { OperationInput } from "../../../platform/call.ts";
import { pagesKey } from "../../../platform/use-api.ts";
import { isReturning } from "../../../shell/last-navigation.ts";
import { toQuery, type RequestQuery, type RequestSearch } from "../filters/request-search.ts";

/** The first page fills the window; later ones are read ahead while one scrolls. */
const FIRST_PAGE = 100;

export interface OpenedList {
  readonly query: RequestQuery;
  readonly input: OperationInput<"listRequests"> & { readonly query: RequestQuery };
  /** Part of the cache key, so that each visit has a list of its own. */
  readonly openedAt: number;
}

/** When the last list of a query was opened. */
const OPENED = new Map<string, number>();

/**
 * The list that a search asks for. It stays the same while it is open, also where its range is relative to the time. A return by Back or
 * Forward finds the list that was left, with all pages that were loaded, so that the router can restore the scroll position, unless something
 * was changed since.
 */
export function useOpenedList(search: RequestSearch): OpenedList {
  const client = useQueryClient();
  const text = JSON.stringify(toQuery(search, 0));
  const list = useMemo(() => {
    const left = isReturning() ? OPENED.get(text) : undefined;
    const known = left === undefined ? undefined : listOf(search, left);
    const state = known && client.getQueryState(pagesKey("listRequests", known.input, known.openedAt));
    // After a change elsewhere, for example the erasure of an end user, it may have rows that are no more.
    return known && state?.data && !state.isInvalidated ? known : listOf(search, Date.now());
    // The text has all of the search that the list depends on.
  }, [client, text]);
  useEffect(() => void OPENED.set(text, list.openedAt), [text, list]);
  return list;
}

function listOf(search: RequestSearch, openedAt: number): OpenedList {
  const query = toQuery(search, openedAt);
  return { query, input: { query: { ...query, limit: FIRST_PAGE } }, openedAt };
}
