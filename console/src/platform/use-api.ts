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
import { useCallback, useEffect, useRef, useState } from "react";
import { call, isSessionExpired, type OperationInput, type OperationId, type Reply } from "./call.ts";
import { IdempotencyKey } from "./idempotency-key.ts";

interface ApiQueryOptions {
  /** Refetch interval in milliseconds, while the page is visible. */
  readonly every?: number | ((error: Error | null) => number);
  readonly enabled?: boolean;
  /** Shows the previous data while the new data loads: for filters and ranges, where an empty page would flicker. */
  readonly keepsPrevious?: boolean;
  /** Never refetches: for reads that the audit log records. */
  readonly once?: boolean;
}

/** The query options of an operation, which routes can also preload. */
// oxlint-disable-next-line typescript/explicit-function-return-type -- its type is the library's and has no short name
function apiQuery<Id extends OperationId>(id: Id, input: OperationInput<Id>) {
  return queryOptions({ queryKey: [id, input], queryFn: ({ signal }) => call(id, input, signal) });
}

/** Queries an operation. Refetched after every change, and when the window regains the focus. */
export function useApiQuery<Id extends OperationId>(
  id: Id,
  input: OperationInput<Id>,
  options: ApiQueryOptions = {},
): UseQueryResult<Reply<Id>> {
  const { every = false } = options;
  return useQuery({
    ...apiQuery(id, input),
    refetchInterval: typeof every === "function" ? ({ state }) => every(state.error) : every,
    enabled: options.enabled ?? true,
    ...(options.keepsPrevious && { placeholderData: keepPreviousData }),
    ...(options.once && { staleTime: "static" as const, gcTime: 0 }),
  });
}

type PageOperation = { [Id in OperationId]: Reply<Id> extends { data: readonly unknown[]; next: string | null } ? Id : never }[OperationId];

/** The cache key of a paged list. */
export function pagesKey<Id extends PageOperation>(id: Id, input: OperationInput<Id>, openedAt?: number): readonly unknown[] {
  return [id, input, "pages", openedAt];
}

interface PagesOptions {
  /** The size of later pages. */
  readonly laterLimit?: number;
  /**
   * For lists of hundreds of pages: when the list was opened. Loaded pages are neither fetched again nor compared with each other, and are
   * dropped some minutes after the list is left.
   */
  readonly openedAt?: number;
}

/** A list that is fetched page by page. */
export function usePages<Id extends PageOperation>(
  id: Id,
  input: OperationInput<Id>,
  { laterLimit, openedAt }: PagesOptions = {},
): UseInfiniteQueryResult<InfiniteData<Reply<Id>>> {
  return useInfiniteQuery({
    queryKey: pagesKey(id, input, openedAt),
    queryFn: ({ pageParam, signal }) => call(id, withCursor(input, pageParam, laterLimit), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page as { next: string | null }).next,
    placeholderData: keepPreviousData,
    ...(openedAt !== undefined && { staleTime: "static" as const, structuralSharing: false }),
  });
}

function withCursor<Id extends PageOperation>(
  input: OperationInput<Id>,
  cursor: string | null,
  laterLimit: number | undefined,
): OperationInput<Id> {
  if (cursor === null) return input;
  return { ...input, query: { ...(input as { query?: object }).query, cursor, ...(laterLimit !== undefined && { limit: laterLimit }) } };
}

/**
 * Calls an operation that changes something, and then refetches all queries, because a change can show anywhere. A call in flight is not
 * started again: the second of two simultaneous clicks on Rotate would end the key that the first one created.
 */
export function useApiMutation<Id extends OperationId>(id: Id): UseMutationResult<Reply<Id>, Error, OperationInput<Id>> {
  const client = useQueryClient();
  const [idempotencyKey] = useState(() => new IdempotencyKey());
  const isInFlight = useRef(false);
  const change = useMutation({
    mutationKey: [id],
    mutationFn: (input: OperationInput<Id>) => call(id, input, undefined, idempotencyKey.of(input)),
    onSuccess() {
      idempotencyKey.end();
      void client.invalidateQueries();
    },
    onSettled() {
      isInFlight.current = false;
    },
  });
  useResetOnExpiry(change);
  const { mutate: start } = change;
  const mutate = useCallback<typeof start>(
    (...input) => {
      if (isInFlight.current) return;
      isInFlight.current = true;
      start(...input);
    },
    [start],
  );
  return { ...change, mutate };
}

/** An expired session is not an error of a change: the sign-in form reports it, and afterwards the page is unchanged. */
export function useResetOnExpiry({ error, reset }: { readonly error: Error | null; readonly reset: () => void }): void {
  useEffect(() => {
    if (isSessionExpired(error)) reset();
  }, [error, reset]);
}
