import { use, useEffect, useRef, type ReactNode } from "react";
import { classes } from "../../parts/classes.ts";
import { DocsLink } from "../../parts/docs-link.tsx";
import { MeContext } from "../../shell/me.ts";
import { REFERENCE } from "./reference.tsx";
import { textOf } from "./text-of.ts";
import { documentation, useDocsPage } from "./use-docs.ts";

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
