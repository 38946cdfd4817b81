import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { OperationInput } from "../../../platform/call.ts";
import { pagesKey } from "../../../platform/use-api.ts";
import { isReturning } from "../../../shell/last-navigation.ts";
import { toQuery, type RequestQuery, type RequestSearch } from "../filters/request-search.ts";

/** The first page fills the window; later pages are loaded ahead while the user scrolls. */
const FIRST_PAGE = 100;

export interface OpenedList {
  readonly query: RequestQuery;
  readonly input: OperationInput<"listRequests"> & { readonly query: RequestQuery };
  /** Part of the cache key, so that each visit has its own list. */
  readonly openedAt: number;
}

/** When the last list of a query was opened. */
const OPENED = new Map<string, number>();

/**
 * Returns the list of a search. It stays the same while it is open, even if its range is relative to the current time. After Back or
 * Forward it is the previous list with all its loaded pages, so that the router can restore the scroll position, unless something has
 * changed since.
 */
export function useOpenedList(search: RequestSearch): OpenedList {
  const client = useQueryClient();
  const text = JSON.stringify(toQuery(search, 0));
  const list = useMemo(() => {
    const left = isReturning() ? OPENED.get(text) : undefined;
    const known = left === undefined ? undefined : listOf(search, left);
    const state = known && client.getQueryState(pagesKey("listRequests", known.input, known.openedAt));
    // After a change elsewhere, for example the erasure of an end user, the list may have rows that no longer exist.
    return known && state?.data && !state.isInvalidated ? known : listOf(search, Date.now());
    // `text` contains every part of the search that the list depends on.
  }, [client, text]);
  useEffect(() => void OPENED.set(text, list.openedAt), [text, list]);
  return list;
}

function listOf(search: RequestSearch, openedAt: number): OpenedList {
  const query = toQuery(search, openedAt);
  return { query, input: { query: { ...query, limit: FIRST_PAGE } }, openedAt };
}
