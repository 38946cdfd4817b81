import type { ReactNode } from "react";
import { ago, moment } from "./format.ts";

/** How long ago, and the moment itself for whoever points at it. */
export function Time({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={moment(at)} className="whitespace-nowrap">
      {ago(at)}
    </time>
  );
}
