import type { ReactNode } from "react";

/** A description list in two aligned columns. Undefined values are omitted. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode] | undefined)[] }): ReactNode {
  const shown = facts.filter((fact) => fact !== undefined && fact[1] !== undefined);
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-1.5">
      {shown.map((fact) => (
        <div key={fact![0]} className="contents">
          <dt className="text-ink-3">{fact![0]}</dt>
          <dd className="min-w-0 break-words">{fact![1] ?? <span className="text-ink-3">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A key figure. */
export function Stat({ label, value, note }: { readonly label: string; readonly value: ReactNode; readonly note?: ReactNode }): ReactNode {
  return (
    <div className="card min-w-0 px-4 py-3">
      <p className="text-sm break-words text-ink-3">{label}</p>
      <p className="figures mt-0.5 truncate text-xl font-semibold tracking-tight">{value}</p>
      {note && <p className="figures truncate text-sm text-ink-3">{note}</p>}
    </div>
  );
}
