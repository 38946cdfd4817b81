import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { PriceList } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { count } from "../../parts/format/format.ts";
import { ManagedBadge } from "../../parts/managed-by.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, rowLink, type Column } from "../../parts/table.tsx";
import { otherModels } from "./format-price-list.ts";
import { CreatePriceList } from "./price-list-form.tsx";

const COLUMNS: readonly Column<PriceList>[] = [
  {
    title: "Price list",
    cell: ({ id, name }) => (
      <Link to="/price-lists/$id" params={{ id }} className={rowLink} title={id}>
        {name}
      </Link>
    ),
    className: "max-w-56!",
  },
  { title: "Other models", cell: (list) => otherModels(list, Date.now()) },
  { title: "Price overrides", cell: ({ models }) => count(Object.keys(models).length), figures: true, from: "sm" },
  { title: "Accounts", cell: ({ accounts }) => count(accounts), figures: true },
  { title: "Managed by", cell: ({ managed_by: by }) => <ManagedBadge by={by} />, from: "md" },
];

export function PriceListsPage(): ReactNode {
  const lists = usePages("listPriceLists", { query: { limit: 50 } });
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button weight="primary" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      Create price list
    </Button>
  );
  return (
    <Page title="Price lists" docs="price-lists" about="Custom pricing for selected accounts." actions={create}>
      <div className="card overflow-hidden">
        <PagedTable label="Price lists" of={lists} columns={COLUMNS} keyOf={({ id }) => id} empty={<NoLists />} />
      </div>
      {isCreating && <CreatePriceList onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NoLists(): ReactNode {
  return (
    <Empty title="No price lists yet">
      All accounts pay the base prices of the models. A price list is a percentage of them, price overrides for models, or both.
    </Empty>
  );
}
