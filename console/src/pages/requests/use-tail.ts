import { useQuery, useQueryClient, type InfiniteData, type UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import { call, type Asked } from "../../platform/call.ts";
import type { RequestPage } from "../../platform/interface.ts";
import { pagesKey } from "../../platform/use-platform.ts";
import { mergeNewer } from "./merge-newer.ts";

const EVERY_MS = 1000;
const AT_ONCE = 100;
/** Beyond so many, the list begins anew with its first page: what is below is a "show more" away. */
const MOST_AT_TOP = 500;

type Pages = InfiniteData<RequestPage, string | null>;

export interface Tail {
  /** How many have come that are not shown yet; "100+" where they are more than were fetched. */
  readonly waiting: string | undefined;
  readonly show: () => void;
  readonly error: Error | null;
}

interface TailOptions {
  readonly isOn: boolean;
  /** Whether what comes has to wait, because somebody reads further down, or is about to click. */
  readonly isHeld: boolean;
}

/** Follows the log from where a list begins: what has come since goes on top of it, in the order in which it ended, and nothing twice. */
export function useTail(asked: Asked<"listRequests">, list: UseInfiniteQueryResult<InfiniteData<RequestPage>>, options: TailOptions): Tail {
  const client = useQueryClient();
  const key = pagesKey("listRequests", asked);
  const top = list.isPlaceholderData ? undefined : list.data?.pages[0];
  const tail = useQuery({
    queryKey: [...key, "tail"],
    // Asked from the place where the list begins now. It is in what was found, so that nothing is put on another list.
    queryFn: async ({ signal }) => {
      const from = client.getQueryData<Pages>(key)?.pages[0]?.newer ?? null;
      const query = { ...asked.query, order: "oldest", limit: AT_ONCE, ...(from !== null && { cursor: from }) };
      return { from, page: await call("listRequests", { query }, signal) };
    },
    enabled: options.isOn && top !== undefined,
    refetchInterval: EVERY_MS,
    staleTime: 0,
    gcTime: 0,
  });
  const found = options.isOn && top && tail.data?.from === top.newer ? tail.data.page : undefined;
  const isTooMuch = found !== undefined && (found.next !== null || found.data.length + top!.data.length > MOST_AT_TOP);
  // What fails is tried again with the next look, a second later.
  const beginAnew = (): Promise<unknown> =>
    call("listRequests", asked).then(
      (page) => client.setQueryData<Pages>(key, { pages: [page], pageParams: [null] }),
      () => undefined,
    );
  const show = (): void => {
    if (isTooMuch) void beginAnew();
    else if (found) client.setQueryData<Pages>(key, (pages) => pages && mergeNewer(pages, found));
  };
  const isNews = found !== undefined && found.data.length > 0;
  const isDue = found !== undefined && (isNews ? !options.isHeld : found.newer !== top!.newer);
  useEffect(() => {
    if (isDue) show();
  }, [isDue, found, tail.dataUpdatedAt]);
  return {
    waiting: isNews && options.isHeld ? `${found.data.length}${found.next === null ? "" : "+"}` : undefined,
    show,
    error: options.isOn ? tail.error : null,
  };
}
