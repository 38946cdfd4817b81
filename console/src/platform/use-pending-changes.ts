import { useIsMutating, useQueryClient, type Mutation } from "@tanstack/react-query";
import type { OperationId } from "./call.ts";

/** They change nothing, and whoever does not want to wait for them may leave. */
const TRIALS: readonly unknown[] = ["testUpstream", "testCredential", "testWebhook", "examineUpstream"] satisfies OperationId[];

const filter = { predicate: ({ options }: Pick<Mutation, "options">) => isChange(options.mutationKey) };

function isChange(key: readonly unknown[] | undefined): boolean {
  return key !== undefined && !TRIALS.includes(key[0]);
}

interface Changing {
  readonly isChanging: boolean;
  /** The same at this moment, also where it was not drawn yet: what is done after a change must not be held up by it. */
  readonly isChangingNow: () => boolean;
}

/** Whether something is being changed. Whoever leaves then never learns what came of it, and a secret in the reply is lost. */
export function useChanging(): Changing {
  const client = useQueryClient();
  return { isChanging: useIsMutating(filter) > 0, isChangingNow: () => client.isMutating(filter) > 0 };
}
