import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import type { BreakdownSearch } from "./breakdown.ts";
import type { RangeSearch } from "./range.ts";

export type UsageSearch = RangeSearch & BreakdownSearch;

/** The query parameters of the current page, and a function that changes some of them. Null removes a parameter. */
export function useUsageSearch(): [UsageSearch, (changed: { readonly [Name in keyof UsageSearch]?: string | null }) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: { readonly [Name in keyof UsageSearch]?: string | null }) =>
      void navigate({
        to: ".",
        search: ((before: object) => Object.fromEntries(Object.entries({ ...before, ...changed }).filter((pair) => pair[1]))) as never,
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return [search, change];
}
