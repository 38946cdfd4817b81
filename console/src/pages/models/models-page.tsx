import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/inputs/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/inputs/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { inCount } from "../../parts/format/format.ts";
import { hasFilters } from "../../parts/list/list-search.ts";
import { FIRST_PAGE, LATER_PAGES, ListTable } from "../../parts/list/list-table.tsx";
import { useMe } from "../../shell/me.ts";
import { MODEL_COLUMNS } from "./model-columns.tsx";
import { ModelForm } from "./model-form.tsx";
import type { Model } from "../../../../platform-client/types.ts";
import { call } from "../../platform/call.ts";
import type { BulkAction } from "../../parts/list/bulk-dialog.tsx";

const route = getRouteApi("/signed-in/models");

const STATES = [
  { value: "", label: "All states" },
  { value: "available", label: "Available" },
  { value: "deprecated", label: "Deprecated" },
  { value: "retired", label: "Retired" },
];

export function ModelsPage(): ReactNode {
  const { isOperator } = useMe();
  const [isCreating, setCreating] = useState(false);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages("listModels", { query: { ...search, limit: FIRST_PAGE } }, LATER_PAGES);
  const create = isOperator && (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Create model
    </Button>
  );
  return (
    <Page wide title="Models" docs="models" about="Models that callers can request, and their prices." actions={create}>
      <ListTable
        label="Models"
        of={pages}
        columns={MODEL_COLUMNS[isOperator ? "operator" : "member"]}
        nameOf={({ id }) => id}
        inWords={(total) => inCount(total, "model")}
        search={search}
        onSearch={(change) => void navigate({ search: { ...search, ...change } })}
        usualSort="id"
        actions={isOperator ? (search.archived === "true" ? ARCHIVED_MODEL_ACTIONS : MODEL_ACTIONS) : []}
        filters={
          <>
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
          </>
        }
        empty={<NoModels isFiltered={hasFilters(search)} isOperator={isOperator} />}
      />
      {isCreating && <ModelForm onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoModels({ isFiltered, isOperator }: { readonly isFiltered: boolean; readonly isOperator: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No model matches">Change the search or the state filter.</Empty>;
  return (
    <Empty title="No models yet">
      {isOperator
        ? "A model is an ID for callers with routes to the upstreams that serve it."
        : "Your account cannot call any model. An operator can grant access."}
    </Empty>
  );
}

const DELETE: BulkAction<Model> = {
  label: "Delete",
  done: "deleted",
  about: "Only models that were never called and that nothing names can be deleted. This cannot be undone.",
  run: ({ id }) => call("removeModel", { path: { id } }),
};

export const MODEL_ACTIONS: readonly BulkAction<Model>[] = [
  {
    label: "Archive",
    done: "archived",
    about: "Archived models are hidden from the list. Only retired models can be archived. You can restore them.",
    weight: "primary",
    run: ({ id }) => call("updateModel", { path: { id }, body: { archived: true } }),
  },
  DELETE,
];

export const ARCHIVED_MODEL_ACTIONS: readonly BulkAction<Model>[] = [
  {
    label: "Restore",
    done: "restored",
    about: "Restored models are in the list again. They stay retired.",
    weight: "primary",
    run: ({ id }) => call("updateModel", { path: { id }, body: { archived: false } }),
  },
  DELETE,
];
