import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { Price, PriceList } from "../../../../platform-client/types.ts";
import { useApiMutation, useApiQuery } from "../../platform/use-api.ts";
import { Button } from "../../parts/button.tsx";
import { Mono } from "../../parts/code.tsx";
import { Confirm } from "../../parts/overlays/confirm.tsx";
import { Facts } from "../../parts/facts.tsx";
import { count, exactMoney, inCount } from "../../parts/format/format.ts";
import { ManagedNotice } from "../../parts/managed-by.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { textLink } from "../../parts/text-link.ts";
import { toast } from "../../parts/overlays/toasts.tsx";
import { otherModels, formatEffectiveDate } from "./format-price-list.ts";
import { EditPriceList } from "./price-list-form.tsx";

const route = getRouteApi("/signed-in/price-lists/$id");

export function PriceListPage(): ReactNode {
  const { id } = route.useParams();
  const list = useApiQuery("showPriceList", { path: { id } });
  return (
    <Page
      title={list.data?.name ?? "Price list"}
      docs="price-lists"
      above={<Link to="/price-lists">Price lists</Link>}
      about={list.data && list.data.name !== id ? id : undefined}
      actions={list.data && <Actions of={list.data} />}
    >
      <Fetched of={list}>{(shown) => <Shown of={shown} />}</Fetched>
    </Page>
  );
}

function Actions({ of }: { readonly of: PriceList }): ReactNode {
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const close = (): void => setDialog(undefined);
  if (of.managed_by !== "operator") return null;
  return (
    <>
      <Button onClick={() => setDialog("edit")}>Edit</Button>
      <Button onClick={() => setDialog("remove")}>Remove</Button>
      {dialog === "edit" && <EditPriceList of={of} onClose={close} />}
      {dialog === "remove" && <RemovePriceList of={of} onClose={close} />}
    </>
  );
}

function RemovePriceList({ of: { id, name }, onClose }: { readonly of: PriceList; readonly onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const remove = useApiMutation("removePriceList");
  const done = (): void => {
    toast(`${name} was removed.`);
    onClose();
    void navigate({ to: "/price-lists" });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove the price list ${name}?`}
      action="Remove price list"
      change={remove}
      onConfirm={() => remove.mutate({ path: { id } }, { onSuccess: done })}
    >
      Receipts of earlier requests still name it. A price list that an account has cannot be removed.
    </Confirm>
  );
}

/** US dollars per million tokens, with all digits. */
function exactRate(dollars: number): string {
  return exactMoney(String(dollars));
}

/** A version of a model's price in the list. */
interface Line {
  readonly model: string;
  readonly price: Price;
}

const COLUMNS: readonly Column<Line>[] = [
  {
    title: "Model",
    cell: ({ model }) => (
      <Link to="/models/$id" params={{ id: model }} className={textLink} title={model}>
        {model}
      </Link>
    ),
  },
  { title: "Effective from", cell: ({ price }) => formatEffectiveDate(price.effective_at) },
  { title: "Input", cell: ({ price }) => exactRate(price.input_per_million), figures: true },
  { title: "Cached input", cell: ({ price }) => exactRate(price.cached_input_per_million), figures: true, from: "md" },
  { title: "Output", cell: ({ price }) => exactRate(price.output_per_million), figures: true },
  { title: "Tiers", cell: ({ price }) => count(price.tiers.length), figures: true, from: "lg" },
  { title: "Version", cell: ({ price }) => <Mono>{price.version}</Mono>, from: "xl" },
];

function Shown({ of }: { readonly of: PriceList }): ReactNode {
  const lines = Object.entries(of.models).flatMap(([model, prices]) => prices.map((price) => ({ model, price })));
  return (
    <>
      <ManagedNotice by={of.managed_by} kind="price list" />
      {of.unknown_models.length > 0 && (
        <Notice tone="warn" title="Models that do not exist">
          The list has prices for {of.unknown_models.join(", ")}. They may be misspelt, or be added later.
        </Notice>
      )}
      <Section title="Details">
        <Facts
          facts={[
            ["Accounts", inCount(of.accounts, "account")],
            ["Other models", otherModels(of, Date.now())],
            ...(of.percents.length > 1 ? [["Percentages by date", <Percents key="percents" of={of} />] as const] : []),
          ]}
        />
      </Section>
      <Section title="Price overrides" about="US dollars per million tokens. Each receipt records the list and the price version." flush>
        {lines.length === 0 ? (
          <Empty title="No price overrides">Every model has the percentage of its base price.</Empty>
        ) : (
          <Table label="Price overrides" columns={COLUMNS} rows={lines} keyOf={({ model, price }) => `${model} ${price.version}`} />
        )}
      </Section>
    </>
  );
}

function Percents({ of }: { readonly of: PriceList }): ReactNode {
  return (
    <ul>
      {of.percents.map(({ percent, effective_at: at }) => (
        <li key={at}>
          {formatEffectiveDate(at)}: {percent}%
        </li>
      ))}
    </ul>
  );
}
