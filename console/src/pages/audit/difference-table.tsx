import type { ReactNode } from "react";
import type { Change } from "../../../../platform-client/types.ts";
import { differences, type Difference } from "./differences.ts";

/** The changed fields, before and after. A created or removed resource has one column. */
export function Differences({ change: { before, after } }: { readonly change: Change }): ReactNode {
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
