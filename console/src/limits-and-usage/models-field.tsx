import { X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Radios } from "../parts/inputs/radios.tsx";
import { ModelInput } from "./model-input.tsx";

const EVERY = "*";
const CHOICES = [
  { value: "every", label: "All models" },
  { value: "some", label: "Selected models" },
] as const;

interface ModelsFieldProps {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
  readonly error?: string | undefined;
}

/** The allowed models: all, or a list of names and prefixes. */
export function ModelsField({ models, onChange, error }: ModelsFieldProps): ReactNode {
  const isEvery = models.includes(EVERY);
  // The list is kept while "All models" is selected, in case the user switches back.
  const [listed, setListed] = useState(models.filter((model) => model !== EVERY));
  const list = (next: readonly string[]): void => {
    setListed([...next]);
    onChange(next);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium">Allowed models</legend>
      <Radios
        label="Allowed models"
        name="which-models"
        choices={CHOICES}
        value={isEvery ? "every" : "some"}
        onPick={(which) => onChange(which === "every" ? [EVERY] : listed)}
      />
      {!isEvery && (
        <>
          <Listed models={models} onRemove={(model) => list(models.filter((other) => other !== model))} />
          <ModelInput
            onAdd={(model) => list(models.includes(model) ? models : [...models, model])}
            error={error && models.length === 0 ? "Add at least one model." : error}
          />
        </>
      )}
      {isEvery && error && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function Listed({ models, onRemove }: { readonly models: readonly string[]; readonly onRemove: (model: string) => void }): ReactNode {
  if (models.length === 0) return null;
  return (
    <ul aria-label="Selected models" className="flex flex-wrap gap-1.5">
      {models.map((model) => (
        <li key={model} className="flex h-6 max-w-full items-center rounded-sm bg-sunken pl-2 text-sm">
          <span className="truncate font-mono" title={model}>
            {model}
          </span>
          <button
            type="button"
            aria-label={`Remove ${model}`}
            onClick={() => onRemove(model)}
            className="flex h-full w-6 shrink-0 items-center justify-center text-ink-2 hover:text-ink"
          >
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
