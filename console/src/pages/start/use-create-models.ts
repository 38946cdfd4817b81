import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { call } from "../../platform/call.ts";
import { toast } from "../../parts/overlays/toasts.tsx";

/** The result of creating models. */
export interface Outcome {
  readonly callable: readonly string[];
  readonly problems: readonly { readonly model: string; readonly text: string }[];
}

/** A model of an upstream: the ID for clients, and the upstream's name. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
}

/** Creates models of an upstream at the published prices. */
export function useCreateModels(
  upstream: string,
  isFree: boolean,
  onDone: (model: string) => void,
): UseMutationResult<Outcome, Error, readonly OfferedModel[]> {
  const client = useQueryClient();
  return useMutation({
    async mutationFn(models: readonly OfferedModel[]) {
      const results = [];
      // Sequentially, because the platform rate-limits changes.
      for (const model of models) results.push({ model: model.id, problem: await createModelProblem(upstream, model, isFree) });
      return {
        callable: results.filter(({ problem }) => problem === undefined).map(({ model }) => model),
        problems: results.flatMap(({ model, problem }) => (problem === undefined ? [] : [{ model, text: problem }])),
      };
    },
    onSuccess: ({ callable, problems }) => {
      if (problems.length > 0) return;
      toast(callable.length === 1 ? `${callable[0]} is ready` : `${callable.length} models are ready`);
      onDone(callable[0]!);
    },
    onSettled: () => void client.invalidateQueries(),
  });
}

async function createModelProblem(upstream: string, { id, name }: OfferedModel, isFree: boolean): Promise<string | undefined> {
  try {
    const made = await call("createModel", { body: { id, routes: [{ upstream, model: name }], ...(isFree && { free: true }) } });
    return made.price === null ? "no published price. Set a price before it can be called." : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
