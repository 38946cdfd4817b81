import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { call, type OperationInput, type OperationId, type Reply } from "./call.ts";
import type { ChangePreview } from "../../../platform-client/types.ts";

type PreviewOperation = { [Id in OperationId]: ChangePreview extends Reply<Id> ? Id : never }[OperationId];

/** The impact of a change over the last 7 days, without saving it. Enabled once the input is complete. */
export function usePreview<Id extends PreviewOperation>(
  id: Id,
  input: OperationInput<Id>,
  enabled: boolean,
): UseQueryResult<ChangePreview> {
  return useQuery({
    queryKey: [id, input, "preview"],
    queryFn: async ({ signal }) => (await call(id, { ...input, query: { preview: "true" } }, signal)) as ChangePreview,
    enabled,
    // A preview belongs to one input and is expensive to compute.
    staleTime: Infinity,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
}
