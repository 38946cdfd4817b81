import { Combobox } from "@base-ui/react/combobox";
import { Check, ChevronsUpDown, X } from "lucide-react";
import { useId, useRef, type ReactNode } from "react";
import { classes } from "../classes.ts";

export interface Pick {
  readonly value: string;
  readonly label: string;
  /** Secondary text, on the right. */
  readonly note?: string;
}

interface PickerProps {
  readonly label: string;
  /** Whether the label is only for screen readers, as in filter bars. */
  readonly isLabelHidden?: boolean;
  readonly placeholder?: string;
  readonly value: string | null;
  readonly onPick: (value: string | null) => void;
  readonly picks: readonly Pick[];
  /** Fetches matching options, if there are too many to load at once. */
  readonly onSearch?: (text: string) => void;
  readonly isClearable?: boolean;
  readonly hint?: string;
  /** The error of the selection; replaces the hint. */
  readonly error?: string | undefined;
  readonly className?: string;
}

/** A combobox: selects one of many options, found by typing. */
export function Picker({
  label,
  isLabelHidden = false,
  placeholder,
  value,
  onPick,
  picks,
  onSearch,
  isClearable = false,
  hint,
  error,
  className,
}: PickerProps): ReactNode {
  const id = useId();
  const note = error ?? hint;
  const chosen = useChosen(value, picks);
  return (
    <Combobox.Root
      items={picks}
      value={chosen}
      onValueChange={(pick) => onPick(pick?.value ?? null)}
      isItemEqualToValue={(item: Pick, other: Pick) => item.value === other.value}
      itemToStringLabel={(pick: Pick) => pick.label}
      {...(onSearch && {
        filter: null,
        onInputValueChange: (text: string, { reason }: { reason: string }) => reason !== "item-press" && onSearch(text),
      })}
    >
      <div className={classes("flex min-w-0 flex-col gap-1", className)}>
        <label htmlFor={id} className={isLabelHidden ? "sr-only" : "text-sm font-medium"}>
          {label}
        </label>
        <Combobox.InputGroup className="relative flex h-8 items-center rounded-md border border-line-strong/60 bg-surface shadow-raised focus-within:border-accent hover:border-line-strong">
          <Combobox.Input
            id={id}
            // While the options are open, everything else is hidden from screen readers, including the label.
            aria-label={label}
            placeholder={placeholder}
            aria-describedby={note && `${id}-note`}
            aria-invalid={error ? true : undefined}
            spellCheck={false}
            className="h-full w-full min-w-0 truncate rounded-md bg-transparent px-2.5 outline-none"
          />
          {isClearable && (
            <Combobox.Clear
              aria-label={`Clear ${label.toLowerCase()}`}
              className="flex h-full w-6 items-center justify-center text-ink-3 hover:text-ink"
            >
              <X size={14} aria-hidden />
            </Combobox.Clear>
          )}
          <Combobox.Trigger
            aria-label={`Show options for ${label.toLowerCase()}`}
            className="flex h-full w-7 items-center justify-center text-ink-3 hover:text-ink"
          >
            <ChevronsUpDown size={14} aria-hidden />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        {note && (
          <p id={`${id}-note`} role={error ? "alert" : undefined} className={classes("text-sm", error ? "text-bad" : "text-ink-3")}>
            {note}
          </p>
        )}
      </div>
      <Choices />
    </Combobox.Root>
  );
}

/** Returns the same object while the selection is the same: a new one would overwrite the text being typed. */
function useChosen(value: string | null, picks: readonly Pick[]): Pick | null {
  const last = useRef<Pick | null>(null);
  const known = last.current?.value === value ? last.current : null;
  const found = picks.find((pick) => pick.value === value);
  if (value === null) last.current = null;
  else if (!known || (found && found.label !== known.label)) last.current = found ?? { value, label: value };
  return last.current;
}

function Choices(): ReactNode {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className="z-50 outline-none">
        <Combobox.Popup className="max-h-80 w-max max-w-[min(28rem,var(--available-width))] min-w-(--anchor-width) overflow-y-auto rounded-md bg-raised p-1 shadow-over">
          <Combobox.Empty>
            <p className="px-2.5 py-2 text-ink-3">No matches.</p>
          </Combobox.Empty>
          <Combobox.List>
            {(pick: Pick) => (
              <Combobox.Item
                key={pick.value}
                value={pick}
                className="flex h-8 cursor-default items-center gap-2 rounded-sm px-2 outline-none select-none data-highlighted:bg-selected"
              >
                <span className="flex w-3.5 shrink-0">
                  <Combobox.ItemIndicator>
                    <Check size={14} className="text-accent" aria-hidden />
                  </Combobox.ItemIndicator>
                </span>
                <span className="truncate">{pick.label}</span>
                {pick.note && <span className="ml-auto pl-4 text-sm whitespace-nowrap text-ink-3">{pick.note}</span>}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}
