import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { call, type Asked, type OperationId, type Reply } from "./call.ts";
import type { ChangePreview } from "./interface.ts";

type PreviewOperation = { [Id in OperationId]: ChangePreview extends Reply<Id> ? Id : never }[OperationId];

/** What a change would have done to the last 7 days. Nothing is saved. Asked for once all of the change is known. */
export function usePreview<Id extends PreviewOperation>(id: Id, asked: Asked<Id>, enabled: boolean): UseQueryResult<ChangePreview> {
  return useQuery({
    queryKey: [id, asked, "preview"],
    queryFn: async ({ signal }) => (await call(id, { ...asked, query: { preview: "true" } }, signal)) as ChangePreview,
    enabled,
    // It was worked out for what was typed, and costs the platform some time.
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}
