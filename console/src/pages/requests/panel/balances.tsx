import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../../../../platform-client/types.ts";
import { useApiQuery } from "../../../platform/use-api.ts";
import { buttonClass } from "../../../parts/button.tsx";
import { classes } from "../../../parts/classes.ts";
import { money } from "../../../parts/format/format.ts";
import { Table, type Column } from "../../../parts/table.tsx";
import { balancesOf, type Balance } from "./balance-rows.ts";

const COLUMNS: readonly Column<Balance>[] = [
  { title: "Credit and spend caps", className: "whitespace-normal!", cell: ({ name }) => name },
  { title: "Cap", figures: true, from: "sm", cell: ({ cap }) => (cap === null ? "–" : money(cap)) },
  { title: "Used or reserved", figures: true, from: "sm", cell: ({ used }) => money(used) },
  {
    title: "Remaining",
    figures: true,
    cell: ({ remaining, isUsedUp }) => <span className={classes("font-medium", isUsedUp && "text-bad")}>{money(remaining)}</span>,
  },
];

/** The current credit and spend caps of a key, with links to change them. */
export function Balances({ request: { account, key } }: { readonly request: Pick<LoggedRequestInFull, "account" | "key"> }): ReactNode {
  const ofAccount = useApiQuery("showAccount", { path: { id: account ?? "" } }, { enabled: account !== null });
  const ofKey = useApiQuery("showKey", { path: { id: key ?? "" } }, { enabled: key !== null });
  return (
    <>
      {ofAccount.data && (
        <div className="overflow-hidden rounded-md border border-line">
          <Table
            dense
            isText
            label="Credit and spend caps"
            columns={COLUMNS}
            rows={balancesOf(ofAccount.data, ofKey.data)}
            keyOf={(balance) => balance.name}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {account !== null && (
          <Link to="/accounts/$id" params={{ id: account }} className={buttonClass()}>
            Open account
          </Link>
        )}
        {key !== null && (
          <Link to="/keys/$id" params={{ id: key }} className={buttonClass()}>
            Open key
          </Link>
        )}
      </div>
    </>
  );
}
