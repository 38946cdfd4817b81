import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { CheckField, Input, TextField } from "../../parts/field.tsx";
import { count } from "../../parts/format.ts";
import { Notice } from "../../parts/notice.tsx";
import { textLink } from "../../parts/text-link.ts";
import { useMakeModels, type Outcome } from "./use-make-models.ts";

interface ModelChecklistProps {
  readonly upstream: string;
  readonly isFree: boolean;
  /** Its own names for them. */
  readonly names: readonly string[];
  readonly onDone: (model: string | undefined) => void;
}

/** More than that one finds by typing. */
const AT_ONCE = 50;

/** Which of an upstream's models callers may ask for. */
export function ModelChecklist({ upstream, isFree, names, onDone }: ModelChecklistProps): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const make = useMakeModels(upstream, isFree, onDone);
  if (make.data && make.data.problems.length > 0) return <Mixed outcome={make.data} onDone={onDone} />;
  const toggle = (name: string): void =>
    setChosen((before) => (before.includes(name) ? before.filter((each) => each !== name) : [...before, name]));
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate(chosen);
      }}
    >
      {names.length === 0 ? (
        <NamedModel onName={(name) => setChosen(name === "" ? [] : [name])} />
      ) : (
        <Names {...{ names, chosen, toggle }} />
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

interface NamesProps {
  readonly names: readonly string[];
  readonly chosen: readonly string[];
  readonly toggle: (name: string) => void;
}

function Names({ names, chosen, toggle }: NamesProps): ReactNode {
  const [search, setSearch] = useState("");
  const fitting = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">Which of them do you want to offer?</legend>
      {names.length > 8 && (
        <Input
          type="search"
          aria-label="Search its models"
          placeholder="Search its models"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className="grid max-h-64 gap-x-4 gap-y-1 overflow-y-auto rounded-md border border-line p-3 sm:grid-cols-2">
        {fitting.slice(0, AT_ONCE).map((name) => (
          <CheckField
            key={name}
            label={<span className="font-normal break-all">{name}</span>}
            checked={chosen.includes(name)}
            onChange={() => toggle(name)}
          />
        ))}
        {fitting.length === 0 && <p className="text-ink-3">Nothing matches.</p>}
      </div>
      <p className="text-sm text-ink-3">
        {fitting.length > AT_ONCE && `The first ${AT_ONCE} of ${count(fitting.length)} are shown: search for more. `}
        {chosen.length > 0 && `Chosen: ${chosen.join(", ")}.`}
      </p>
    </fieldset>
  );
}
