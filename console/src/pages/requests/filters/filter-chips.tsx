import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Chip } from "../../../parts/chip.tsx";
import { activeFilters } from "./format-filters.ts";
import { withChange, withoutFilters, type FilterProps } from "./request-search.ts";

/** The active filters, each with a remove button. */
export function FilterChips({ search, onSearch, keyName }: FilterProps & { readonly keyName: (id: string) => string }): ReactNode {
  return (
    <div role="group" aria-label="Active filters" className="flex flex-wrap items-center gap-2">
      {activeFilters(search, keyName).map(({ name, title, value }) => (
        <Chip key={name} name={title} value={value} onRemove={() => onSearch(withChange(search, { [name]: null }))} />
      ))}
      <Button small weight="quiet" onClick={() => onSearch(withoutFilters(search))}>
        Clear all
      </Button>
    </div>
  );
}
