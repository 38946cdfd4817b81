import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { usePages } from "../../platform/use-platform.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable } from "../../parts/table.tsx";
import { useMe } from "../../shell/me.ts";
import { MODEL_COLUMNS } from "./model-columns.tsx";
import { ModelForm } from "./model-form.tsx";

const route = getRouteApi("/signed-in/models");

const STATES = [
  { value: "", label: "Any state" },
  { value: "available", label: "Available" },
  { value: "deprecated", label: "Deprecated" },
  { value: "retired", label: "Retired" },
];

export function ModelsPage(): ReactNode {
  const { isOperator } = useMe();
  const [isCreating, setCreating] = useState(false);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages("listModels", { query: { ...search, limit: 50 } });
  const create = isOperator && (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Create model
    </Button>
  );
  return (
    <Page wide title="Models" about="What callers can ask for, under the names they use." actions={create}>
      <div className="flex flex-wrap gap-2">
        <SearchBox
          label="Search models"
          value={search.search ?? ""}
          onSearch={(text) => void navigate({ search: { ...search, search: text }, replace: true })}
        />
        <Select
          aria-label="State"
          className="w-40"
          choices={STATES}
          value={search.state ?? ""}
          onChange={({ target }) => void navigate({ search: { ...search, state: target.value } })}
        />
      </div>
      <div className="card overflow-hidden">
        <PagedTable
          label="Models"
          of={pages}
          columns={MODEL_COLUMNS[isOperator ? "operator" : "member"]}
          keyOf={({ id }) => id}
          empty={<NoModels isFiltered={search.search !== undefined || search.state !== undefined} isOperator={isOperator} />}
        />
      </div>
      {isCreating && <ModelForm onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoModels({ isFiltered, isOperator }: { readonly isFiltered: boolean; readonly isOperator: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No model matches">Try fewer letters, or any state.</Empty>;
  return (
    <Empty title="There are no models yet">
      {isOperator
        ? "A model is a name for callers, and the routes to the upstreams that serve it."
        : "Your account may not call any model. An operator can allow some."}
    </Empty>
  );
}
