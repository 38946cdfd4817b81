import type { ReactNode } from "react";

/** A section of the request panel. */
export function PanelSection({
  title,
  note,
  children,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className="px-4 py-3.5">
      <header className="mb-2 flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="font-semibold">{title}</h3>
        {note && <p className="figures text-sm text-ink-3">{note}</p>}
      </header>
      {children}
    </section>
  );
}
