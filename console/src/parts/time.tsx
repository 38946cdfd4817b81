import type { ReactNode } from "react";
import { ago, moment } from "./format/format.ts";

/** Relative time, with the exact time as tooltip. */
export function Time({ at }: { readonly at: string }): ReactNode {
  return (
    <time dateTime={at} title={moment(at)} className="whitespace-nowrap">
      {ago(at)}
    </time>
  );
}
