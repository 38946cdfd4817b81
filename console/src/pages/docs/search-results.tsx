import { useDeferredValue, type KeyboardEvent, type ReactNode } from "react";
import { DocsLink } from "../../parts/docs-link.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Fetched } from "../../parts/states.tsx";
import { rowLink } from "../../parts/table.tsx";
import { searchDocs, type DocsMatch } from "./search-docs.ts";
import { useDocsSections } from "./use-docs.ts";

export const MATCHES_ID = "docs-matches";

/** The sections that match a query, best first. */
export function SearchResults({ query }: { readonly query: string }): ReactNode {
  const sections = useDocsSections(true);
  const searched = useDeferredValue(query);
  return (
    <Page title="Search" heading="Search results">
      <Fetched of={sections}>{(all) => <Matches matches={searchDocs(all, searched)} />}</Fetched>
    </Page>
  );
}

function Matches({ matches }: { readonly matches: readonly DocsMatch[] }): ReactNode {
  return (
    <>
      <p role="status" className={matches.length === 0 ? "sr-only" : "text-ink-3"}>
        {matches.length === 1 ? "1 section" : `${matches.length} sections`}
      </p>
      {matches.length === 0 ? (
        <Empty title="No matches">Use fewer words, or the start of a word.</Empty>
      ) : (
        <ol id={MATCHES_ID} aria-label="Search results" onKeyDown={moveFocus} className="card flex max-w-3xl flex-col">
          {matches.map((match) => (
            <Match key={match.to} match={match} />
          ))}
        </ol>
      )}
    </>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  links[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
}

function Match({ match: { to, section, excerpt } }: { readonly match: DocsMatch }): ReactNode {
  return (
    <li className="relative border-t border-line px-4 py-2.5 first:border-t-0 hover:bg-hover">
      <DocsLink to={to} className={rowLink}>
        {section.heading}
      </DocsLink>
      {section.anchor !== undefined && <span className="ml-2 text-sm text-ink-3">{section.title}</span>}
      <p className="text-sm wrap-anywhere text-ink-2">
        {excerpt.map((piece, at) =>
          at % 2 === 0 ? (
            piece
          ) : (
            // The pieces of a text have no ID, and their order never changes.
            // oxlint-disable-next-line react/no-array-index-key
            <mark key={at} className="bg-transparent font-semibold text-ink">
              {piece}
            </mark>
          ),
        )}
      </p>
    </li>
  );
}
