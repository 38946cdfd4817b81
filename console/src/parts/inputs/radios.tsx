import type { ReactNode } from "react";
import type { Choice } from "./field.tsx";

interface RadiosProps {
  readonly label: string;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onPick: (value: string) => void;
}

/** A radio group. */
export function Radios({ label, name, choices, value, onPick }: RadiosProps): ReactNode {
  return (
    <div role="radiogroup" aria-label={label} className="flex flex-wrap gap-x-5 gap-y-1">
      {choices.map((choice) => (
        <label key={choice.value} className="flex items-center gap-2">
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onPick(choice.value)}
            className="size-3.5 accent-accent-fill"
          />
          {choice.label}
        </label>
      ))}
    </div>
  );
}
