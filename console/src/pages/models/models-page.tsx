import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Model } from "../../platform/interface.ts";
import { usePages } from "../../platform/use-platform.ts";
import { Badge } from "../../parts/badge.tsx";
import { Select } from "../../parts/field.tsx";
import { Page } from "../../parts/page.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";

const route = getRouteApi("/signed-in/models");

const STATES = [
  { value: "", label: "Any state" },
  { value: "available", label: "Available" },
  { value: "deprecated", label: "Deprecated" },
  { value: "retired", label: "Retired" },
];

const TONES = { available: "good", deprecated: "warn", retired: "plain" } as const;

const COLUMNS: readonly Column<Model>[] = [
  {
    title: "Model",
    cell: ({ id }) => (
      <Link to="/models/$id" params={{ id }} className={rowLink} title={id}>
        {id}
      </Link>
    ),
  },
  { title: "State", cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
  { title: "Owner", cell: ({ owned_by }) => owned_by, from: "md" },
];

export function ModelsPage(): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages("listModels", { query: { ...search, limit: 50 } });
  return (
    <Page title="Models" about="What callers can ask for, under the names they use.">
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
        <PagedTable label="Models" of={pages} columns={COLUMNS} keyOf={({ id }) => id} empty={<Empty title="No model matches" />} />
      </div>
    </Page>
  );
}
