import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { call } from "../platform/call.ts";

/**
 * Signs out. What was shown must not be found again by whoever signs in next, also where that which began it is gone by then, as the
 * palette is.
 */
export function useSignOut(): UseMutationResult<undefined, Error, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call("signOut", {}),
    onSuccess: () => void client.resetQueries(),
  });
}
