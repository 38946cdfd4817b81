import { QueryClient } from "@tanstack/react-query";
import { Refusal } from "./call.ts";

/** What is refused is refused again; only what could not be reached, or was too busy, is worth another try. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof Refusal && (error.status === 0 || error.status === 429 || error.status === 503);
}

export const queryClient = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 5000, refetchOnWindowFocus: true }, mutations: { retry: false } },
});
