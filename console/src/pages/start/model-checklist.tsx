import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { CheckField, Input, TextField } from "../../parts/field.tsx";
import { count } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { useCreateModels, type OfferedModel, type Outcome } from "./use-create-models.ts";

interface ModelChecklistProps {
  readonly upstream: string;
  readonly isFree: boolean;
  readonly models: readonly OfferedModel[];
  readonly onDone: (model: string | undefined) => void;
}

/** More than that one finds by typing. */
const AT_ONCE = 50;

/** Which of an upstream's models callers may ask for. */
export function ModelChecklist({ upstream, isFree, models, onDone }: ModelChecklistProps): ReactNode {
  const [chosen, setChosen] = useState<readonly OfferedModel[]>([]);
  const make = useCreateModels(upstream, isFree, onDone);
  if (make.data && make.data.problems.length > 0) return <Mixed outcome={make.data} onDone={onDone} />;
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
        make.mutate(chosen);
      }}
    >
      {models.length === 0 ? (
        <NamedModel onName={(name) => setChosen(name === "" ? [] : [{ id: name, name }])} />
      ) : (
        <Models {...{ models, chosen, toggle }} />
      )}
      <div>
        <Button type="submit" weight="primary" busy={make.isPending} disabled={chosen.length === 0}>
          {chosen.length > 1 ? `Offer ${count(chosen.length)} models` : "Offer this model"}
        </Button>
      </div>
    </form>
  );
}

/** Not all went well: what did not, and the way on. */
function Mixed({
  outcome: { callable, problems },
  onDone,
}: { readonly outcome: Outcome } & Pick<ModelChecklistProps, "onDone">): ReactNode {
  return (
    <>
      <Notice tone="warn" title="Not all of them can be called">
        <ul className="list-disc pl-5">
          {problems.map(({ model, words }) => (
            <li key={model}>
              <Link to="/models/$id" params={{ id: model }} className={textLink}>
                {model}
              </Link>
              : {words}
            </li>
          ))}
        </ul>
      </Notice>
      <div>
        <Button weight="primary" onClick={() => onDone(callable[0])}>
          {callable.length === 0 ? "Go on with the echo model" : `Go on with ${callable[0]}`}
        </Button>
      </div>
    </>
  );
}

function NamedModel({ onName }: { readonly onName: (name: string) => void }): ReactNode {
  return <TextField label="Model" hint="The provider's own name for it." onChange={({ target }) => onName(target.value.trim())} />;
}

interface ModelsProps {
  readonly models: readonly OfferedModel[];
  readonly chosen: readonly OfferedModel[];
  readonly toggle: (model: OfferedModel) => void;
}

function Models({ models, chosen, toggle }: ModelsProps): ReactNode {
  const [search, setSearch] = useState("");
  const fitting = models.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase()));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Which of them do you want to offer?</legend>
      {models.length > 8 && (
        <Input
          type="search"
          aria-label="Search its models"
          placeholder="Search its models"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className="grid max-h-64 gap-x-4 gap-y-1 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {fitting.slice(0, AT_ONCE).map((model) => (
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
        {fitting.length === 0 && <p className="text-ink-3">Nothing matches.</p>}
      </div>
      <p className="text-sm text-ink-3">
        {fitting.length > AT_ONCE && `The first ${AT_ONCE} of ${count(fitting.length)} are shown: search for more. `}
        {chosen.length > 0 && `Chosen: ${chosen.map(({ id }) => id).join(", ")}.`}
      </p>
    </fieldset>
  );
}
