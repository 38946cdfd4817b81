import { useQuery, useQueryClient, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../../../platform/call.ts";
import type { RequestPage } from "../../../../../platform-client/types.ts";
import { pagesKey } from "../../../platform/use-api.ts";
import { mergeNewer } from "./merge-newer.ts";
import type { OpenedList } from "./use-opened-list.ts";

const POLL_MS = 1000;
const PAGE_SIZE = 100;
/** With more rows, the list is reset to its first page, so that a page that stays open does not grow without limit. */
const MAX_ROWS = 10_000;

type Pages = InfiniteData<RequestPage, string | null>;

export interface Tail {
  /** The number of requests that are not shown yet; "100+" if there is more than one page of them. */
  readonly waiting: string | undefined;
  readonly show: () => void;
  readonly error: Error | null;
}

interface TailedList extends Pick<OpenedList, "input" | "openedAt"> {
  readonly list: UseInfiniteQueryResult<InfiniteData<RequestPage>>;
}

interface TailOptions {
  readonly isOn: boolean;
  /** Whether new rows wait, because the list is scrolled or under the pointer. */
  readonly isPaused: boolean;
}

/** Follows the request log from the top of a list. New requests are prepended in the order of their completion, each once. */
export function useTail({ input, openedAt, list }: TailedList, options: TailOptions): Tail {
  const client = useQueryClient();
  const key = pagesKey("listRequests", input, openedAt);
  const top = list.isPlaceholderData ? undefined : list.data?.pages[0];
  const tail = useQuery({
    queryKey: [...key, "tail"],
    // The cursor is part of the result, so that a late page is not merged into another list.
    queryFn: async ({ signal }) => {
      const from = client.getQueryData<Pages>(key)?.pages[0]?.newer ?? null;
      const query = { ...input.query, order: "oldest", limit: PAGE_SIZE, ...(from !== null && { cursor: from }) };
      return { from, page: await call("listRequests", { query }, signal) };
    },
    enabled: options.isOn && top !== undefined,
    refetchInterval: POLL_MS,
    staleTime: 0,
    gcTime: 0,
  });
  const found = options.isOn && top && tail.data?.from === top.newer ? tail.data.page : undefined;
  const isTooMany = found !== undefined && (found.next !== null || found.data.length + top!.data.length > MAX_ROWS);
  // A failed reset is retried with the next poll.
  const reset = (): Promise<unknown> =>
    call("listRequests", input).then(
      (page) => client.setQueryData<Pages>(key, { pages: [page], pageParams: [null] }),
      () => undefined,
    );
  const show = (): void => {
    if (isTooMany) void reset();
    else if (found) client.setQueryData<Pages>(key, (pages) => pages && mergeNewer(pages, found));
  };
  const hasNew = found !== undefined && found.data.length > 0;
  const isDue = found !== undefined && (hasNew ? !options.isPaused : found.newer !== top!.newer);
  useEffect(() => {
    if (isDue) show();
  }, [isDue, found, tail.dataUpdatedAt]);
  return {
    waiting: hasNew && options.isPaused ? `${found.data.length}${found.next === null ? "" : "+"}` : undefined,
    show,
    error: options.isOn ? tail.error : null,
  };
}
