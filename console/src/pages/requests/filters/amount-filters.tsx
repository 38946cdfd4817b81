import { useState, type ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { FigureField } from "../../../parts/inputs/field.tsx";
import { formFields } from "../../../parts/inputs/form.ts";
import { withChange, type FilterProps, type RequestSearch } from "./request-search.ts";

const AMOUNTS = [
  { name: "cost", label: "cost, $", pattern: /^\d{1,10}(\.\d{1,9})?$/, problem: "Enter dollars, such as 0.01." },
  { name: "duration_ms", label: "duration, ms", pattern: /^\d{1,15}$/, problem: "Enter whole milliseconds." },
  { name: "tokens", label: "tokens", pattern: /^\d{1,15}$/, problem: "Enter a whole number." },
  { name: "attempts", label: "attempts", pattern: /^\d{1,15}$/, problem: "Enter a whole number." },
] as const;

const BOUNDS = ["min", "max"] as const;
type BoundName = `${(typeof BOUNDS)[number]}_${(typeof AMOUNTS)[number]["name"]}`;
const NAMES: readonly BoundName[] = AMOUNTS.flatMap(({ name }) => BOUNDS.map((bound): BoundName => `${bound}_${name}`));

/** Filters by the smallest and largest cost, duration, tokens and attempts. */
export function AmountFilters({ search, onSearch }: FilterProps): ReactNode {
  const [problems, setProblems] = useState<Partial<Record<BoundName, string>>>({});
  const apply = (form: HTMLFormElement): void => {
    const given = formFields(form, ...NAMES);
    const found = problemsOf(given);
    setProblems(found);
    if (Object.keys(found).length === 0) onSearch(withChange(search, given));
  };
  return (
    <form
      key={NAMES.map((name) => search[name]).join()}
      className="col-span-full flex flex-wrap items-end gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        apply(event.currentTarget);
      }}
    >
      {AMOUNTS.map(({ name, label }) => (
        <div key={name} className="flex min-w-0 flex-1 basis-56 gap-2">
          {BOUNDS.map((bound) => (
            <FigureField
              key={bound}
              label={`${bound === "min" ? "Min." : "Max."} ${label}`}
              name={`${bound}_${name}`}
              defaultValue={search[`${bound}_${name}` satisfies keyof RequestSearch] ?? ""}
              error={problems[`${bound}_${name}`]}
              className="flex-1"
            />
          ))}
        </div>
      ))}
      <Button type="submit">Apply</Button>
    </form>
  );
}

function problemsOf(given: Readonly<Record<BoundName, string>>): Partial<Record<BoundName, string>> {
  const problems: Partial<Record<BoundName, string>> = {};
  for (const { name, pattern, problem } of AMOUNTS) {
    const [least, most] = BOUNDS.map((bound) => given[`${bound}_${name}`].trim()) as [string, string];
    if (least !== "" && !pattern.test(least)) problems[`min_${name}`] = problem;
    if (most !== "" && !pattern.test(most)) problems[`max_${name}`] = problem;
    else if (least !== "" && most !== "" && Number(least) > Number(most)) problems[`max_${name}`] = "Must not be less than the minimum.";
  }
  return problems;
}
