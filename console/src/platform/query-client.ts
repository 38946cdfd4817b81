import { MutationCache, notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import { isUnknown, Refusal, type OperationId } from "./call.ts";

/** What is refused is refused again; only what could not be reached, or was too busy, is worth another try. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof Refusal && (error.status === 0 || error.status === 429 || error.status === 503);
}

const ME: OperationId = "showMe";

/** A session that has ended is noticed by whatever asks first. Then who is looking is asked anew, and the gate closes. */
export function lookWhoItIs(): void {
  const wasKnown = queryClient.getQueriesData({ queryKey: [ME] }).some(([, me]) => me !== undefined);
  if (wasKnown) void queryClient.invalidateQueries({ queryKey: [ME] });
}

/** Whoever is not signed in is so until they sign in: asking on the way back from another window would empty the form. */
function isWorthAnother({ state }: { readonly state: { readonly error: Error | null } }): boolean {
  return !isUnknown(state.error);
}

/** What has begun shows before the next click, and not only some time later: the second of a double click finds the button busy. */
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => queryKey[0] !== ME && isUnknown(error) && lookWhoItIs() }),
  mutationCache: new MutationCache({ onError: (error) => isUnknown(error) && lookWhoItIs() }),
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 5000, refetchOnWindowFocus: isWorthAnother, refetchOnReconnect: isWorthAnother },
    // Without a network it fails at once, and does not wait for one: a gateway may be on this machine.
    // What was sent and what came back may be a password or a key: it is gone with the form that it belongs to.
    mutations: { retry: false, networkMode: "always", gcTime: 0 },
  },
});
