import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { call } from "../../platform/call.ts";
import { toast } from "../../parts/toasts.tsx";

/** What became of the models that were to be made. */
export interface Outcome {
  readonly callable: readonly string[];
  readonly problems: readonly { readonly model: string; readonly words: string }[];
}

/** A model of an upstream: the id that callers are to use, and the upstream's own name for it. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
}

/** Makes models of an upstream, at the prices that are published. */
export function useCreateModels(
  upstream: string,
  isFree: boolean,
  onDone: (model: string) => void,
): UseMutationResult<Outcome, Error, readonly OfferedModel[]> {
  const client = useQueryClient();
  return useMutation({
    async mutationFn(models: readonly OfferedModel[]) {
      const tried = [];
      // One after the other: the platform counts changes.
      for (const model of models) tried.push({ model: model.id, problem: await createModelProblem(upstream, model, isFree) });
      return {
        callable: tried.filter(({ problem }) => problem === undefined).map(({ model }) => model),
        problems: tried.flatMap(({ model, problem }) => (problem === undefined ? [] : [{ model, words: problem }])),
      };
    },
    onSuccess: ({ callable, problems }) => {
      if (problems.length > 0) return;
      toast(callable.length === 1 ? `${callable[0]} can be called` : `${callable.length} models can be called`);
      onDone(callable[0]!);
    },
    onSettled: () => void client.invalidateQueries(),
  });
}

async function createModelProblem(upstream: string, { id, name }: OfferedModel, isFree: boolean): Promise<string | undefined> {
  try {
    const made = await call("createModel", { body: { id, routes: [{ upstream, model: name }], ...(isFree && { free: true }) } });
    return made.price === null ? "no price is published for it. Set one, or it cannot be called." : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
