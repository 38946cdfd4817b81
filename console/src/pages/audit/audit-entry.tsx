import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { Change } from "../../platform/interface.ts";
import { Mono } from "../../parts/code.tsx";
import { Facts } from "../../parts/facts.tsx";
import { moment } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { describeAction } from "./describe-action.ts";
import { differences } from "./differences.ts";

/** A change in a sentence; opened, what became different. */
export function AuditEntry({ change }: { readonly change: Change }): ReactNode {
  return (
    <li className="border-t border-line first:border-t-0">
      <details className="group">
        <summary className="flex list-none items-center gap-3 px-4 py-2 hover:bg-hover">
          <ChevronRight size={14} className="shrink-0 text-ink-3 transition-transform group-open:rotate-90" aria-hidden />
          <p className="min-w-0 flex-1 truncate">
            <span className="font-medium">{change.actor_name}</span> <span className="text-ink-2">{describeAction(change.action)}</span>{" "}
            <span className="font-medium">{change.target.id}</span>
          </p>
          <span className="shrink-0 text-sm text-ink-3">
            <Time at={change.at} />
          </span>
        </summary>
        <div className="flex flex-col gap-4 border-t border-line bg-sunken px-4 py-3 sm:pl-11">
          <Facts
            facts={[
              ["When", moment(change.at)],
              ["Who", <Mono key="who">{change.actor}</Mono>],
              ["From", change.address],
              ["Action", <Mono key="action">{change.action}</Mono>],
              ["Thing", <ThingLink key="thing" change={change} />],
              ["Account", change.account],
              ["Request", change.request_id && <Mono key="request">{change.request_id}</Mono>],
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
  person: "/people/$id",
  webhook: "/alerts/$id",
  request: "/requests/$id",
} as const;

function ThingLink({ change: { target } }: { readonly change: Change }): ReactNode {
  const to = PAGES[target.kind as keyof typeof PAGES] as (typeof PAGES)[keyof typeof PAGES] | undefined;
  const text = `${target.kind.replaceAll("_", " ")} ${target.id}`;
  if (!to) return text;
  return (
    <Link to={to} params={{ id: target.id }} className="text-accent underline underline-offset-2">
      {text}
    </Link>
  );
}

function Differences({ change: { before, after } }: { readonly change: Change }): ReactNode {
  const different = differences(before, after);
  if (different.length === 0) return null;
  return (
    <div className="overflow-x-auto rounded-md border border-line bg-surface">
      <table aria-label="What became different" className="w-full text-left text-sm">
        <thead>
          <tr className="border-b border-line text-ink-3">
            {["Field", "Before", "After"].map((title) => (
              <th key={title} scope="col" className="px-3 py-1.5 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {different.map(({ field, before: was, after: is }) => (
            <tr key={field} className="border-t border-line align-top first:border-t-0">
              <th scope="row" className="px-3 py-1.5 font-normal text-ink-2">
                {field}
              </th>
              <td className="px-3 py-1.5 font-mono break-all">{was ?? "–"}</td>
              <td className="px-3 py-1.5 font-mono break-all">{is ?? "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
