import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "../../parts/badge.tsx";
import { classes } from "../../parts/classes.ts";
import { Mono } from "../../parts/code.tsx";
import { Section } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";
import { PagedTable, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { textLink } from "../../parts/text-link.ts";
import type { Entry } from "../../../../platform-client/types.ts";
import { useApiQuery, usePages } from "../../platform/use-api.ts";
import { ENTRY_KINDS, signedAmount } from "./format-entry.ts";

const TONES = { grant: "good", adjustment: "warn", settle: "plain", release: "plain" } as const;

const COLUMNS: readonly Column<Entry>[] = [
  { title: "No.", cell: ({ number }) => number, figures: true, from: "lg" },
  { title: "Time", cell: ({ at }) => <Time at={at} /> },
  { title: "Type", cell: ({ kind }) => <Badge tone={TONES[kind]}>{ENTRY_KINDS[kind]}</Badge>, from: "sm" },
  { title: "For", cell: (entry) => <For entry={entry} />, className: "max-w-32! sm:max-w-52!" },
  { title: "Reference", cell: (entry) => <Reference entry={entry} />, from: "md", className: "w-full max-w-44!" },
  { title: "Actor", cell: (entry) => <By entry={entry} />, from: "xl", className: "max-w-40!" },
  {
    title: "Amount",
    cell: (entry) => <span className={classes(entry.kind === "grant" && "text-good")}>{signedAmount(entry)}</span>,
    figures: true,
  },
];

/** The ledger entries of an account. The ledger is append-only. */
export function Entries({ account }: { readonly account: string }): ReactNode {
  const pages = usePages("listEntries", { path: { id: account }, query: { limit: 20 } });
  return (
    <Section title="Ledger entries" about="Grants, adjustments and charges, newest first" flush>
      <PagedTable
        dense
        label="Ledger entries"
        of={pages}
        columns={COLUMNS}
        keyOf={({ number }) => String(number)}
        empty={<Empty title="No entries yet">Grants, adjustments and charges are listed here.</Empty>}
      />
    </Section>
  );
}

/** The model or the reason of an entry. For a charge, a link to its request. */
function For({ entry: { model, reason, request_id: id } }: { readonly entry: Entry }): ReactNode {
  if (id === undefined) return <span title={reason}>{reason}</span>;
  return (
    <Link to="/requests/$id" params={{ id }} title={model} className={textLink}>
      {model}
    </Link>
  );
}

/** Who made an entry. For a charge, the name of the key. */
function By({ entry: { actor, key } }: { readonly entry: Entry }): ReactNode {
  const { data } = useApiQuery("showKey", { path: { id: key ?? "" } }, { enabled: key !== undefined });
  if (key === undefined) return <span title={actor}>{actor}</span>;
  return (
    <Link to="/keys/$id" params={{ id: key }} title={key} className="text-accent hover:underline">
      {data?.name ?? key}
    </Link>
  );
}

function Reference({ entry: { request_id: id, reference } }: { readonly entry: Entry }): ReactNode {
  return <span title={reference ?? id}>{reference ?? <Mono>{id}</Mono>}</span>;
}
