import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { call } from "../platform/call.ts";

/**
 * Signs out and clears fetched data, so that the next person who signs in does not see it. A plain mutation, because the calling component
 * (the palette) may be unmounted before the call ends.
 */
export function useSignOut(): UseMutationResult<undefined, Error, void> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call("signOut", {}),
    onSuccess: () => void client.resetQueries(),
  });
}
