import { BookOpen } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { classes } from "./classes.ts";
import { DocsLink } from "./docs-link.tsx";

interface PageProps {
  readonly title: string;
  /** Replaces the title in the heading; the browser tab shows the title. */
  readonly heading?: ReactNode;
  readonly about?: ReactNode;
  /** A link to the parent list. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  /** The page of the documentation that explains this page, in the format of `DocsLink`. */
  readonly docs?: string | undefined;
  /** Whether the page has full width, for tables with many columns. */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A page: title, actions and content. */
export function Page({ title, heading, about, above, actions, docs, wide = false, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className={classes("mx-auto flex w-full flex-col gap-5 px-4 py-5 sm:px-6 lg:px-8 lg:py-7", wide ? "max-w-[1600px]" : "max-w-6xl")}>
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          {above && <div className="mb-1 text-sm text-ink-3">{above}</div>}
          <div className="flex items-center gap-2">
            <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold tracking-tight break-words outline-none">
              {heading ?? title}
            </h1>
            {docs !== undefined && (
              <DocsLink to={docs} aria-label="Documentation of this page" className="text-ink-3 hover:text-ink">
                <BookOpen size={15} aria-hidden />
              </DocsLink>
            )}
          </div>
          {about && <p className="mt-0.5 max-w-2xl text-ink-2">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for tables and lists. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A card with a title. */
export function Section({ title, about, actions, flush = false, children }: SectionProps): ReactNode {
  return (
    <section className="card min-w-0 overflow-hidden">
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-4 py-2.5">
        <div className="min-w-0">
          <h2 className="font-semibold">{title}</h2>
          {about && <p className="text-sm text-ink-3">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}
