import { Autocomplete } from "@base-ui/react/autocomplete";
import { useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { useApiQuery } from "../platform/use-api.ts";

const PENDING = "pending-model";

/** The models of a form: the list, plus a name that was typed and not added before the form was submitted. */
export function withPending(form: HTMLFormElement, models: readonly string[]): readonly string[] {
  const typed = ((new FormData(form).get(PENDING) ?? "") as string).trim();
  return typed === "" || models.includes(typed) ? models : [...models, typed];
}

/** Accepts an existing model or a prefix such as `gpt-*`. */
export function ModelInput({ onAdd, error }: { readonly onAdd: (model: string) => void; readonly error?: string | undefined }): ReactNode {
  const id = useId();
  const [typed, setTyped] = useState("");
  const [highlighted, setHighlighted] = useState<string>();
  const { data } = useApiQuery("listModels", { query: { limit: 20, ...(typed !== "" && { search: typed }) } }, { keepsPrevious: true });
  const add = (model: string): void => {
    if (model.trim() !== "") onAdd(model.trim());
    setTyped("");
  };
  const addOnEnter = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || highlighted !== undefined || typed === "") return;
    // Adds to the list without submitting the form.
    event.preventDefault();
    add(typed);
  };
  return (
    <div className="flex flex-col gap-1">
      <div className="flex gap-2">
        <Autocomplete.Root
          items={(data?.data ?? []).map((model) => model.id)}
          filter={null}
          value={typed}
          onValueChange={(text, { reason }) => (reason === "item-press" ? add(text) : setTyped(text))}
          onItemHighlighted={(item: string | undefined) => setHighlighted(item)}
        >
          <Autocomplete.Input
            aria-label="Add model"
            name={PENDING}
            placeholder="Model ID or prefix, such as gpt-*"
            spellCheck={false}
            onKeyDown={addOnEnter}
            aria-describedby={`${id}-note`}
            aria-invalid={error ? true : undefined}
            className="h-8 w-full min-w-0 rounded-md border border-line-strong/60 bg-surface px-2.5 shadow-raised hover:border-line-strong focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-bad"
          />
          <Suggestions />
        </Autocomplete.Root>
        <Button disabled={typed.trim() === ""} onClick={() => add(typed)}>
          Add
        </Button>
      </div>
      <p id={`${id}-note`} role={error ? "alert" : undefined} className={error ? "text-sm text-bad" : "text-sm text-ink-3"}>
        {error ?? "A trailing * matches every model with this prefix, including future ones."}
      </p>
    </div>
  );
}

function Suggestions(): ReactNode {
  return (
    <Autocomplete.Portal>
      <Autocomplete.Positioner sideOffset={4} className="z-50 outline-none">
        <Autocomplete.Popup className="max-h-64 w-(--anchor-width) overflow-y-auto rounded-md bg-raised p-1 shadow-over empty:hidden">
          <Autocomplete.List>
            {(model: string) => (
              <Autocomplete.Item
                key={model}
                value={model}
                className="flex h-8 cursor-default items-center rounded-sm px-2 outline-none select-none data-highlighted:bg-selected"
              >
                <span className="truncate">{model}</span>
              </Autocomplete.Item>
            )}
          </Autocomplete.List>
        </Autocomplete.Popup>
      </Autocomplete.Positioner>
    </Autocomplete.Portal>
  );
}
