import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { call, type Asked, type OperationId, type Reply } from "./call.ts";
import { OnceName } from "./idempotency-key.ts";

interface LookOptions {
  /** Asks again after so many milliseconds, while the page is visible. */
  readonly every?: number | ((trouble: Error | null) => number);
  readonly enabled?: boolean;
  /** Shows what was there before until the new is there: for filters and ranges, where an empty page would flicker. */
  readonly keepsPrevious?: boolean;
  /** Asks once, whatever is changed here and whoever comes back to the window: for what the platform records. */
  readonly once?: boolean;
}

/** What the platform answers to this, as a query that routes can also load beforehand. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is the library's and has no short name
export function looking<Id extends OperationId>(id: Id, asked: Asked<Id>) {
  return queryOptions({ queryKey: [id, asked], queryFn: ({ signal }) => call(id, asked, signal) });
}

/** Shows something. Asked again whenever anything was changed here, and when the window is looked at again. */
export function useLook<Id extends OperationId>(id: Id, asked: Asked<Id>, options: LookOptions = {}): UseQueryResult<Reply<Id>> {
  const { every = false } = options;
  return useQuery({
    ...looking(id, asked),
    refetchInterval: typeof every === "function" ? ({ state }) => every(state.error) : every,
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious && { placeholderData: keepPreviousData }),
    ...(options.once && { staleTime: "static" as const, gcTime: 0 }),
  });
}

type PageOperation = { [Id in OperationId]: Reply<Id> extends { data: readonly unknown[]; next: string | null } ? Id : never }[OperationId];

/** Under which the pages of a list are kept. */
export function pagesKey<Id extends PageOperation>(id: Id, asked: Asked<Id>): readonly unknown[] {
  return [id, asked, "pages"];
}

/** A list that is fetched a page at a time, for "show more". */
export function usePages<Id extends PageOperation>(id: Id, asked: Asked<Id>): UseInfiniteQueryResult<InfiniteData<Reply<Id>>> {
  return useInfiniteQuery({
    queryKey: pagesKey(id, asked),
    queryFn: ({ pageParam, signal }) => call(id, withCursor(asked, pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next: string | null }).next,
    placeholderData: keepPreviousData,
  });
}

function withCursor<Id extends PageOperation>(asked: Asked<Id>, cursor: string | null): Asked<Id> {
  return cursor === null ? asked : { ...asked, query: { ...(asked as { query?: object }).query, cursor } };
}

/**
 * Changes something; all that is shown is asked for anew then, because a change can show anywhere. While it is under way it is not begun
 * again: of two presses in one moment the second would end the key that the first has rotated.
 */
export function useChange<Id extends OperationId>(id: Id): UseMutationResult<Reply<Id>, Error, Asked<Id>> {
  const client = useQueryClient();
  const [once] = useState(() => new OnceName());
  const isUnderWay = useRef(false);
  const change = useMutation({
    mutationKey: [id],
    mutationFn: (asked: Asked<Id>) => call(id, asked, undefined, once.of(asked)),
    onSuccess() {
      once.end();
      void client.invalidateQueries();
    },
    onSettled() {
      isUnderWay.current = false;
    },
  });
  const begin = change.mutate;
  const mutate = useCallback<typeof begin>(
    (...asked) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      begin(...asked);
    },
    [begin],
  );
  return { ...change, mutate };
}
