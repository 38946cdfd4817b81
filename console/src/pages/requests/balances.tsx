import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { LoggedRequestInFull } from "../../platform/interface.ts";
import { useLook } from "../../platform/use-platform.ts";
import { buttonClass } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { money } from "../../parts/format.ts";
import { Table, type Column } from "../../parts/table.tsx";
import { pursesOf, type Purse } from "./balance-rows.ts";

const COLUMNS: readonly Column<Purse>[] = [
  { title: "Now", className: "whitespace-normal!", cell: ({ name }) => name },
  { title: "Cap", figures: true, from: "sm", cell: ({ cap }) => (cap === null ? "–" : money(cap)) },
  { title: "Used or held", figures: true, from: "sm", cell: ({ used }) => money(used) },
  {
    title: "Left",
    figures: true,
    cell: ({ left, isEmpty }) => <span className={classes("font-medium", isEmpty && "text-bad")}>{money(left)}</span>,
  },
];

/** Why there was not enough: what pays for this key's requests as it stands now, and where to change it. */
export function Purses({ request: { account, key } }: { readonly request: Pick<LoggedRequestInFull, "account" | "key"> }): ReactNode {
  const ofAccount = useLook("showAccount", { path: { id: account ?? "" } }, { enabled: account !== null });
  const ofKey = useLook("showKey", { path: { id: key ?? "" } }, { enabled: key !== null });
  return (
    <>
      {ofAccount.data && (
        <div className="overflow-hidden rounded-md border border-line">
          <Table
            dense
            isText
            label="What pays for it now"
            columns={COLUMNS}
            rows={pursesOf(ofAccount.data, ofKey.data)}
            keyOf={(purse) => purse.name}
          />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {account !== null && (
          <Link to="/accounts/$id" params={{ id: account }} className={buttonClass()}>
            To the account
          </Link>
        )}
        {key !== null && (
          <Link to="/keys/$id" params={{ id: key }} className={buttonClass()}>
            To the key
          </Link>
        )}
      </div>
    </>
  );
}
