import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { base } from "../../platform/base.ts";
import { send } from "../../platform/call.ts";
import type { Documentation, DocsPageContent, DocsSection } from "./documentation.ts";

/** Replaced by the build. */
declare const DOCUMENTATION: Documentation;

export const documentation: Documentation = DOCUMENTATION;

/** A page of the documentation. */
export function useDocsPage(page: string): UseQueryResult<DocsPageContent> {
  return useFile<DocsPageContent>(documentation.files[page]);
}

/** The search index, loaded when it is needed for the first time. */
export function useDocsSections(isNeeded: boolean): UseQueryResult<DocsSection[]> {
  return useFile<DocsSection[]>(isNeeded ? documentation.searchFile : undefined);
}

/** Loads a file of the build. Its name changes with its contents. */
function useFile<T>(file: string | undefined): UseQueryResult<T> {
  return useQuery({
    queryKey: ["documentation", file],
    queryFn: async ({ signal }) => (await send(`${base}/assets/${file}`, { signal })).json() as Promise<T>,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: file !== undefined,
  });
}
