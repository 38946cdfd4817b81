import { getRouteApi } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import type { Webhook } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Select } from "../../parts/inputs/field.tsx";
import { Paged } from "../../parts/paged.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { DeliveryEntry } from "./delivery-entry.tsx";

const route = getRouteApi("/signed-in/alerts/$id");

const STATES = [
  { value: "", label: "All states" },
  { value: "pending", label: "Pending" },
  { value: "delivered", label: "Delivered" },
  { value: "failed", label: "Failed" },
  { value: "dropped", label: "Dropped" },
];

const POLL_MS = 3000;

/** The deliveries of a webhook, with every attempt. */
export function Deliveries({ of }: { readonly of: Webhook }): ReactNode {
  const { state } = route.useSearch();
  const navigate = route.useNavigate();
  const filter = (
    <Select
      aria-label="State"
      className="w-36"
      choices={STATES}
      value={state ?? ""}
      onChange={({ target }) => void navigate({ search: { state: target.value }, replace: true })}
    />
  );
  return (
    <Section title="Deliveries" about="Newest first. Finished deliveries are kept for 30 days." actions={filter} flush>
      <List of={of} state={state} />
    </Section>
  );
}

function List({ of, state }: { readonly of: Webhook; readonly state: string | undefined }): ReactNode {
  const pages = usePages("listDeliveries", { path: { id: of.id }, query: { ...(state !== undefined && { state }), limit: 50 } });
  const isWaiting = !of.paused && pages.data?.pages.some((page) => page.data.some((delivery) => delivery.state === "pending")) === true;
  const { refetch } = pages;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void refetch(), POLL_MS);
    return () => clearInterval(timer);
  }, [isWaiting, refetch]);
  return (
    <Paged of={pages} empty={<NoDeliveries isFiltered={state !== undefined} />}>
      {(deliveries) => (
        <ul aria-label="Deliveries">
          {deliveries.map((delivery) => (
            <DeliveryEntry key={delivery.id} delivery={delivery} webhook={of} />
          ))}
        </ul>
      )}
    </Paged>
  );
}

function NoDeliveries({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered) return <Empty title="No deliveries in this state" />;
  return (
    <Empty title="No deliveries yet">No alert was raised since this webhook was created. Send a test to check that messages arrive.</Empty>
  );
}
