import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, type RefObject } from "react";
import type { RequestPage } from "../../../../../platform-client/types.ts";
import type { TableHandle } from "../../../parts/data-table/use-virtual-rows.ts";
import { isConversation, keyOfRow, type ListRow } from "../conversations.ts";

type Step = 1 | -1;

export interface ListNavigation {
  readonly canMove: (step: Step) => boolean;
  readonly move: (step: Step) => void;
  readonly close: () => void;
}

function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset["row"];
}

interface NavigatedList {
  readonly list: UseInfiniteQueryResult<InfiniteData<RequestPage>>;
  readonly rows: readonly ListRow[];
  readonly table: RefObject<TableHandle | null>;
  /** The ID of the open request. */
  readonly open: string | undefined;
}

/** Moves through the list from the open request, or from the focused row. Conversations are focused, but only requests are opened. */
export function useListNavigation({ list, rows, table, open }: NavigatedList): ListNavigation {
  const navigate = useNavigate();
  const indexOf = (key: string | undefined): number => (key === undefined ? -1 : rows.findIndex((row) => keyOfRow(row) === key));
  const openIndex = useMemo(() => indexOf(open), [rows, open]);

  const nextOf = (at: number, step: Step): ListRow | undefined => {
    const next = rows[at + step];
    return next && open !== undefined && isConversation(next) ? nextOf(at + step, step) : next;
  };

  async function move(step: Step): Promise<void> {
    const next = nextOf(open === undefined ? indexOf(focusedRow()) : openIndex, step) ?? (step === 1 ? await firstOfNextPage() : undefined);
    if (!next) return;
    if (open === undefined) table.current?.focus(keyOfRow(next));
    else await navigate({ to: "/requests/$id", params: { id: keyOfRow(next) }, search: true, replace: true, resetScroll: false });
  }

  async function firstOfNextPage(): Promise<ListRow | undefined> {
    if (!list.hasNextPage) return undefined;
    const loaded = list.data?.pages.length ?? 0;
    return (await list.fetchNextPage()).data?.pages[loaded]?.data[0];
  }

  return {
    canMove: (step) => nextOf(openIndex, step) !== undefined || (step === 1 && list.hasNextPage),
    move: (step) => void move(step),
    close: () => {
      if (open !== undefined) table.current?.focus(open);
      void navigate({ to: "/requests", search: true, resetScroll: false });
    },
  };
}
