import { useIsMutating, useQueryClient, type Mutation } from "@tanstack/react-query";
import type { OperationId } from "./call.ts";

/** Tests and comparisons change nothing, so leaving the dialog is safe. */
const TESTS: readonly unknown[] = [
  "testUpstream",
  "testCredential",
  "testWebhook",
  "examineUpstream",
  "reconcileBill",
] satisfies OperationId[];

const filter = { predicate: ({ options }: Pick<Mutation, "options">) => isChange(options.mutationKey) };

function isChange(key: readonly unknown[] | undefined): boolean {
  return key !== undefined && !TESTS.includes(key[0]);
}

interface PendingChanges {
  readonly isChanging: boolean;
  /** The current state, which may not be rendered yet: for callbacks after a change. */
  readonly isChangingNow: () => boolean;
}

/** Whether a change is in flight. Closing a dialog then would lose its result, which may be a secret. */
export function usePendingChanges(): PendingChanges {
  const client = useQueryClient();
  return { isChanging: useIsMutating(filter) > 0, isChangingNow: () => client.isMutating(filter) > 0 };
}
