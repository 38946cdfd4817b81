import { useLocation, useParams, useSearch } from "@tanstack/react-router";
import { use, useEffect, type ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Failed, Loading } from "../../parts/states.tsx";
import { MeContext } from "../../shell/me.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { DocsContent } from "./docs-content.tsx";
import type { DocsPageContent } from "./documentation.ts";
import { REFERENCE } from "./reference.tsx";
import { SearchResults } from "./search-results.tsx";
import { documentation, useDocsPage } from "./use-docs.ts";

/** A page of the documentation, or the results of a search in it. */
export function DocsPage(): ReactNode {
  const me = use(MeContext);
  const { _splat: page = "" } = useParams({ strict: false });
  const { search } = useSearch({ strict: false });
  const reference = REFERENCE.find((each) => each.page === page && (me || !each.needsSignIn));
  if (page === "" && search) return <SearchResults query={search} />;
  if (reference?.Content) {
    return (
      <Page title={reference.label}>
        <reference.Content />
      </Page>
    );
  }
  return page in documentation.files ? <MarkdownPage page={page} /> : <NotFound />;
}

function MarkdownPage({ page }: { readonly page: string }): ReactNode {
  const { data, error, refetch } = useDocsPage(page);
  if (data) return <Article of={data} />;
  return <Page title="Docs">{error ? <Failed error={error} retry={() => void refetch()} /> : <Loading lines={12} />}</Page>;
}

function Article({ of: { title, content } }: { readonly of: DocsPageContent }): ReactNode {
  const { hash } = useLocation();
  useEffect(() => goToSection(hash), [hash]);
  return (
    <Page title={title}>
      <article className="flex min-w-0 flex-col gap-3">
        <DocsContent of={content} />
      </article>
    </Page>
  );
}

/** The router looks for the section before the page is loaded, so the page scrolls to it itself. */
function goToSection(hash: string): void {
  const section = hash === "" ? null : document.getElementById(hash);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}
