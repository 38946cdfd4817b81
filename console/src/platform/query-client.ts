import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import type { Me } from "../../../platform-client/types.ts";
import { isUnauthenticated, ApiError, type OperationId } from "./call.ts";

/** Only network errors and overload (429, 503) are retried: other errors would repeat. */
function isRetryable(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status === 503);
}

const ME: OperationId = "showMe";

/** Checks the session again after a 401: if it has expired, the sign-in page opens. */
export function recheckSession(): void {
  const wasSignedIn = queryClient.getQueriesData({ queryKey: [ME] }).some(([, me]) => me !== undefined);
  if (wasSignedIn) void queryClient.invalidateQueries({ queryKey: [ME] });
}

/** No refetch on focus without a session: it would reset the sign-in form. */
function isRefetchable({ state }: { readonly state: { readonly error: Error | null } }): boolean {
  return !isUnauthenticated(state.error);
}

/** The person whose data is cached: null for the operator token, undefined before the first response. */
let personId: string | null | undefined;

/** Another person must not see the data of the previous one, even if the sign-in happens in another tab of the browser. */
function discardDataOfOthers({ person }: Me): void {
  const id = person?.id ?? null;
  if (personId !== undefined && id !== personId) void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME });
  personId = id;
}

/** State changes render before the next click, so that the second click of a double click sees the busy button. */
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onSuccess: (data, { queryKey }) => queryKey[0] === ME && discardDataOfOthers(data as Me),
    onError: (error, { queryKey }) => queryKey[0] !== ME && isUnauthenticated(error) && recheckSession(),
  }),
  mutationCache: new MutationCache({ onError: (error) => isUnauthenticated(error) && recheckSession() }),
  defaultOptions: {
    queries: { retry: isRetryable, staleTime: 5000, refetchOnWindowFocus: isRefetchable, refetchOnReconnect: isRefetchable },
    // Offline mutations fail immediately instead of waiting for a network: the gateway may be on this machine.
    // Variables and results may be passwords or keys: they are discarded with the form.
    mutations: { retry: false, networkMode: "always", gcTime: 0 },
  },
});
