import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { LoggedRequest, RequestPage } from "../../../../platform-client/types.ts";

export type Step = 1 | -1;

export interface ListNavigation {
  readonly canMove: (step: Step) => boolean;
  readonly move: (step: Step) => void;
  readonly close: () => void;
}

/** The focusable link in the row of a request. */
export function linkOf(requestId: string): HTMLAnchorElement | null {
  return document.querySelector(`[data-row="${CSS.escape(requestId)}"] a`);
}

function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["row"];
}

export function rowsIn(data: InfiniteData<RequestPage> | undefined): readonly LoggedRequest[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}

/** Moves through the list from the open request, or from the focused row. */
export function useListNavigation(list: UseInfiniteQueryResult<InfiniteData<RequestPage>>, open: string | undefined): ListNavigation {
  const navigate = useNavigate();
  const rows = rowsIn(list.data);
  const indexOf = (id: string | undefined): number => rows.findIndex((row) => row.request_id === id);
  const focusSoon = useFocusSoon();

  async function move(step: Step): Promise<void> {
    const at = indexOf(open ?? focusedRow());
    let next = rows[at + step];
    if (!next && step === 1 && list.hasNextPage) next = rowsIn((await list.fetchNextPage()).data)[at + step];
    if (!next) return;
    if (open === undefined) focusSoon(next.request_id);
    else await navigate({ to: "/requests/$id", params: { id: next.request_id }, search: true, replace: true, resetScroll: false });
  }

  return {
    canMove: (step) => {
      const at = indexOf(open);
      return rows[at + step] !== undefined || (step === 1 && list.hasNextPage);
    },
    move: (step) => void move(step),
    close: () => {
      if (open !== undefined) focusSoon(open);
      void navigate({ to: "/requests", search: true, resetScroll: false });
    },
  };
}

/** Focuses a row once it is rendered and visible. */
function useFocusSoon(): (requestId: string) => void {
  const wanted = useRef<string>(undefined);
  useEffect(() => {
    const link = wanted.current === undefined ? null : linkOf(wanted.current);
    if (!link?.checkVisibility()) return;
    link.focus();
    wanted.current = undefined;
  });
  return (requestId) => {
    const link = linkOf(requestId);
    if (link?.checkVisibility()) link.focus();
    else wanted.current = requestId;
  };
}
