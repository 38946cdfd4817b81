import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { count } from "./format/format.ts";
import { textLink } from "./text-link.ts";

/** Links to the pages of models. */
export function ModelLinks({ ids }: { readonly ids: readonly string[] }): ReactNode {
  if (ids.length === 0) return <span className="text-ink-3">none</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {ids.slice(0, 30).map((id) => (
        <Link key={id} to="/models/$id" params={{ id }} className={`${textLink} max-w-full truncate`} title={id}>
          <Badge>{id}</Badge>
        </Link>
      ))}
      {ids.length > 30 && <span className="text-ink-3">and {count(ids.length - 30)} more</span>}
    </span>
  );
}
