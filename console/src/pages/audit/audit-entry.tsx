import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Change } from "../../../../platform-client/types.ts";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format/format.ts";
import { Time } from "../../parts/time.tsx";
import { textLink } from "../../parts/text-link.ts";
import { describeAction, describeTarget } from "./describe-action.ts";
import { differences, type Difference } from "./differences.ts";

/** A change as a sentence; expanded, its differences. */
export function AuditEntry({ change }: { readonly change: Change }): ReactNode {
  return (
    <li className="border-t border-line first:border-t-0">
      <details className="group">
        <summary className="flex list-none items-center gap-3 px-4 py-2 hover:bg-hover">
          <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
          <p className="min-w-0 flex-1 break-words sm:truncate">
            <span className="font-medium">{change.actor_name}</span> <span className="text-ink-2">{describeAction(change.action)}</span>{" "}
            <span className="font-medium" title={change.target.id}>
              {describeTarget(change)}
            </span>
          </p>
          <span className="shrink-0 text-sm text-ink-3">
            <Time at={change.at} />
          </span>
        </summary>
        <div className="flex flex-col gap-4 border-t border-line bg-sunken px-4 py-3 sm:pl-11">
          <Facts
            facts={[
              ["Time", moment(change.at)],
              ["Actor", <Actor key="actor" change={change} />],
              change.address === null ? undefined : ["IP address", change.address],
              ["Action", <Mono key="action">{change.action}</Mono>],
              ["Resource", <TargetLink key="resource" change={change} />],
              change.account === null ? undefined : ["Account", change.account],
              change.request_id === null ? undefined : ["Request", <Mono key="request">{change.request_id}</Mono>],
            ]}
          />
          <Differences change={change} />
        </div>
      </details>
    </li>
  );
}

const PAGES = {
  account: "/accounts/$id",
  key: "/keys/$id",
  model: "/models/$id",
  upstream: "/upstreams/$id",
  price_list: "/price-lists/$id",
  person: "/people/$id",
  webhook: "/alerts/$id",
  request: "/requests/$id",
} as const;

function TargetLink({ change: { action, target } }: { readonly change: Change }): ReactNode {
  // A removed resource has no page.
  const isGone = action.endsWith(".remove");
  const to = isGone ? undefined : (PAGES[target.kind as keyof typeof PAGES] as (typeof PAGES)[keyof typeof PAGES] | undefined);
  const text = `${target.kind.replaceAll("_", " ")} ${target.id}`;
  return (
    <span className="flex flex-wrap gap-x-4">
      {to ? (
        <Link to={to} params={{ id: target.id }} className={textLink}>
          {text}
        </Link>
      ) : (
        text
      )}
      <Link to="/audit" search={{ kind: target.kind, id: target.id }} className={textLink}>
        All changes to this resource
      </Link>
    </span>
  );
}

function Actor({ change: { actor, actor_name } }: { readonly change: Change }): ReactNode {
  return (
    <span className="flex flex-wrap gap-x-4">
      {actor.startsWith("person_") ? (
        <Link to="/people/$id" params={{ id: actor }} className={textLink}>
          {actor_name}
        </Link>
      ) : (
        actor_name
      )}
      <Link to="/audit" search={{ actor }} className={textLink}>
        All changes by this actor
      </Link>
    </span>
  );
}

/** The changed fields, before and after. A created or removed resource has one column. */
function Differences({ change: { before, after } }: { readonly change: Change }): ReactNode {
  const different = differences(before, after);
  if (different.length === 0) return null;
  const sides = before && after ? (["before", "after"] as const) : ([after ? "after" : "before"] as const);
  return (
    <div className="overflow-x-auto rounded-md border border-line bg-surface">
      <table aria-label="Changed fields" className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line text-ink-3">
            <Heading>Field</Heading>
            {sides.map((side) => (
              <Heading key={side}>{sides.length === 2 ? (side === "before" ? "Before" : "After") : "Value"}</Heading>
            ))}
          </tr>
        </thead>
        <tbody>
          {different.map((difference) => (
            <tr key={difference.field} className="border-t border-line align-top first:border-t-0">
              <th scope="row" className="w-56 px-3 py-1.5 font-normal text-ink-2 max-sm:w-auto">
                {difference.field}
              </th>
              {sides.map((side) => (
                <td key={side} className="px-3 py-1.5 font-mono break-all">
                  <Value of={difference[side]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <th scope="col" className="px-3 py-1.5 font-medium">
      {children}
    </th>
  );
}

function Value({ of }: { readonly of: Difference["before"] }): ReactNode {
  return of === undefined || of === "null" ? <span className="text-ink-3">–</span> : of;
}
