import type { ReactNode } from "react";
import type { Announcement } from "../../../../platform-client/types.ts";
import { usePages } from "../../platform/use-api.ts";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { StateBadge } from "./model-columns.tsx";

const COLUMNS: readonly Column<Announcement>[] = [
  { title: "Time", cell: ({ at }) => <Time at={at} /> },
  { title: "State", cell: ({ state }) => <StateBadge state={state} />, from: "sm" },
  { title: "Announcement", cell: ({ text }) => <span className="whitespace-normal">{text}</span>, className: "max-w-none!" },
  { title: "By", cell: ({ by }) => by ?? "–", from: "md" },
];

/** The announcements of a model in the changelog. */
export function ModelAnnouncements({ id }: { readonly id: string }): ReactNode {
  const pages = usePages("listAnnouncements", { query: { model: id, limit: 50 } });
  return (
    <Section title="Announcements" about="Published to callers in the changelog and its feed." flush>
      <PagedTable
        label="Announcements"
        of={pages}
        columns={COLUMNS}
        keyOf={({ at, state }) => `${at} ${state}`}
        empty={<Empty title="No announcements">A model from the environment is announced when an operator takes it over.</Empty>}
      />
    </Section>
  );
}
