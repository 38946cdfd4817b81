import { Link, Outlet, useParams } from "@tanstack/react-router";
import { type ReactNode, use, useEffect, useRef } from "react";
import { isUnauthenticated } from "../../platform/call.ts";
import { useApiQuery } from "../../platform/use-api.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Fold } from "../../parts/fold.tsx";
import { Brand } from "../../shell/brand.tsx";
import { Layout } from "../../shell/layout.tsx";
import { MeContext } from "../../shell/me.ts";
import { DocsSearchBox } from "./docs-search-box.tsx";
import { classes } from "../../parts/classes.ts";
import { DocsLink } from "../../parts/docs-link.tsx";
import { REFERENCE } from "./reference.tsx";
import { textOf } from "./text-of.ts";
import { documentation, useDocsPage } from "./use-docs.ts";

/** The docs need no sign-in: people who only call models have no account in the console. */
export function DocsLayout(): ReactNode {
  const { data: me, error } = useApiQuery("showMe", {});
  if (me && !isUnauthenticated(error)) {
    return (
      <MeContext value={me}>
        <Layout>
          <Docs />
        </Layout>
      </MeContext>
    );
  }
  if (!error) return null;
  return (
    <>
      <header className="flex h-14 items-center justify-between border-b border-line bg-surface px-4 sm:px-6 lg:px-8">
        <Brand />
        <Link to="/" className={buttonClass()}>
          Sign in
        </Link>
      </header>
      <main>
        <Docs />
      </main>
    </>
  );
}

/** Search and navigation beside the page, or above it on narrow screens. */
function Docs(): ReactNode {
  const { _splat: page = "" } = useParams({ strict: false });
  return (
    <div className="xl:grid xl:grid-cols-[14rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-4 px-4 pt-5 sm:px-6 lg:px-8 xl:sticky xl:top-0 xl:h-dvh xl:pt-7 xl:pr-0 xl:pl-6">
        <DocsSearchBox />
        <div className="xl:hidden">
          {/* Collapsed again whenever another page is opened. */}
          <Fold key={page} title="Pages">
            <DocsNavigation open={page} />
          </Fold>
        </div>
        <div className="min-h-0 overflow-y-auto pb-7 max-xl:hidden">
          <DocsNavigation open={page} />
        </div>
      </div>
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}

/** The pages of the documentation, with the sections of the open one. */
export function DocsNavigation({ open }: { readonly open: string }): ReactNode {
  const me = use(MeContext);
  const navigation = useRef<HTMLElement>(null);
  useEffect(() => {
    navigation.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const reference = REFERENCE.filter(({ needsSignIn }) => me || !needsSignIn);
  return (
    <nav ref={navigation} aria-label="Documentation" className="flex flex-col gap-4">
      {[...documentation.groups, { title: "API and releases", pages: reference }].map(({ title, pages }) => (
        <div key={title}>
          <p className="mb-1 px-2 text-xs font-medium text-ink-3">{title}</p>
          <ul className="flex flex-col gap-px">
            {pages.map(({ page, label }) => (
              <li key={page}>
                <Item page={page} label={label} isOpen={page === open} />
                {page === open && <PageSections page={page} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const ITEM = "block rounded-md px-2 py-1 hover:bg-hover hover:text-ink";

function Item({ page, label, isOpen }: { readonly page: string; readonly label: string; readonly isOpen: boolean }): ReactNode {
  return (
    <DocsLink
      to={page}
      aria-current={isOpen ? "page" : undefined}
      className={classes(ITEM, isOpen ? "bg-selected font-medium text-ink" : "text-ink-2")}
    >
      {label}
    </DocsLink>
  );
}

function PageSections({ page }: { readonly page: string }): ReactNode {
  const { data } = useDocsPage(page);
  const headings = (data?.content ?? []).flatMap((node) => (typeof node !== "string" && node.tag === "h2" ? [node] : []));
  if (headings.length === 0) return null;
  return (
    <ul className="my-1 ml-2 flex flex-col border-l border-line pl-1.5 text-sm">
      {headings.map(({ id, children }) => (
        <li key={id}>
          <DocsLink to={`${page}#${id}`} className={classes(ITEM, "text-ink-3")}>
            {textOf(children)}
          </DocsLink>
        </li>
      ))}
    </ul>
  );
}
