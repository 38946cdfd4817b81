import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { base } from "../../platform/base.ts";
import { send } from "../../platform/call.ts";
import type { OpenApi } from "./openapi.ts";

/** A published OpenAPI document. */
export function useDocument(name: "gateway" | "platform"): UseQueryResult<OpenApi> {
  return useQuery({
    queryKey: ["document", name],
    queryFn: async ({ signal }) => (await send(`${base}/docs/${name}.json`, { signal })).json() as Promise<OpenApi>,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
