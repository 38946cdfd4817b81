import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/chip.tsx";
import type { FilterProps } from "./filter-bar.tsx";
import { filtersInForce } from "./format-filters.ts";
import { withChange, withoutFilters } from "./request-search.ts";

/** What the list is narrowed by, each with the way to be rid of it. */
export function FilterChips({ search, onSearch, keyName }: FilterProps & { readonly keyName: (id: string) => string }): ReactNode {
  return (
    <div role="group" aria-label="Filters in force" className="flex flex-wrap items-center gap-2">
      {filtersInForce(search, keyName).map(({ name, title, value }) => (
        <Chip key={name} name={title} value={value} onRemove={() => onSearch(withChange(search, { [name]: null }))} />
      ))}
      <Button small weight="quiet" onClick={() => onSearch(withoutFilters(search))}>
        Clear all
      </Button>
    </div>
  );
}
