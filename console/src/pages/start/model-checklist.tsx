import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { CheckField, Input, TextField } from "../../parts/inputs/field.tsx";
import { count } from "../../parts/format/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import { call } from "../../platform/call.ts";
import { toast } from "../../parts/overlays/toasts.tsx";

interface ModelChecklistProps {
  readonly upstream: string;
  readonly isFree: boolean;
  readonly models: readonly OfferedModel[];
  readonly onDone: (model: string | undefined) => void;
}

/** Further models are found by searching. */
const MAX_SHOWN = 50;

/** Selects the upstream's models to offer to clients. */
export function ModelChecklist({ upstream, isFree, models, onDone }: ModelChecklistProps): ReactNode {
  const [chosen, setChosen] = useState<readonly OfferedModel[]>([]);
  const create = useCreateModels(upstream, isFree, onDone);
  if (create.data && create.data.problems.length > 0) return <Problems outcome={create.data} onDone={onDone} />;
  const toggle = (model: OfferedModel): void =>
    setChosen((before) => {
      const others = before.filter(({ name }) => name !== model.name);
      return others.length < before.length ? others : [...before, model];
    });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(chosen);
      }}
    >
      {models.length === 0 ? (
        <NamedModel onName={(name) => setChosen(name === "" ? [] : [{ id: name, name }])} />
      ) : (
        <Models {...{ models, chosen, toggle }} />
      )}
      <div>
        <Button type="submit" weight="primary" busy={create.isPending} disabled={chosen.length === 0}>
          {chosen.length > 1 ? `Offer ${count(chosen.length)} models` : "Offer this model"}
        </Button>
      </div>
    </form>
  );
}

/** Lists the models that cannot be called, with a way to continue. */
function Problems({
  outcome: { callable, problems },
  onDone,
}: { readonly outcome: Outcome } & Pick<ModelChecklistProps, "onDone">): ReactNode {
  return (
    <>
      <Notice tone="warn" title="Some models cannot be called yet">
        <ul className="list-disc pl-5">
          {problems.map(({ model, text }) => (
            <li key={model}>
              <Link to="/models/$id" params={{ id: model }} className={textLink}>
                {model}
              </Link>
              : {text}
            </li>
          ))}
        </ul>
      </Notice>
      <div>
        <Button weight="primary" onClick={() => onDone(callable[0])} className="max-w-full">
          <span className="truncate">{callable.length === 0 ? "Continue with the echo model" : `Continue with ${callable[0]}`}</span>
        </Button>
      </div>
    </>
  );
}

function NamedModel({ onName }: { readonly onName: (name: string) => void }): ReactNode {
  return <TextField label="Model" hint="The provider's name of the model." onChange={({ target }) => onName(target.value.trim())} />;
}

interface ModelsProps {
  readonly models: readonly OfferedModel[];
  readonly chosen: readonly OfferedModel[];
  readonly toggle: (model: OfferedModel) => void;
}

function Models({ models, chosen, toggle }: ModelsProps): ReactNode {
  const [search, setSearch] = useState("");
  const matching = models.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Models to offer</legend>
      {models.length > 8 && (
        <Input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className="grid max-h-64 gap-x-4 gap-y-1 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {matching.slice(0, MAX_SHOWN).map((model) => (
          <CheckField
            key={model.name}
            label={
              <span className="font-normal break-all" title={model.name}>
                {model.id}
              </span>
            }
            checked={chosen.some(({ name }) => name === model.name)}
            onChange={() => toggle(model)}
          />
        ))}
        {matching.length === 0 && <p className="text-ink-3">No matches.</p>}
      </div>
      <p className="text-sm wrap-anywhere text-ink-3">
        {matching.length > MAX_SHOWN && `Showing the first ${MAX_SHOWN} of ${count(matching.length)}. Search for more. `}
        {chosen.length > 0 && `Selected: ${chosen.map(({ id }) => id).join(", ")}.`}
      </p>
    </fieldset>
  );
}

/** The result of creating models. */
interface Outcome {
  readonly callable: readonly string[];
  readonly problems: readonly { readonly model: string; readonly text: string }[];
}

/** A model of an upstream: the ID for clients, and the upstream's name. */
interface OfferedModel {
  readonly id: string;
  readonly name: string;
}

/** Creates models of an upstream at the published prices. */
function useCreateModels(
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
