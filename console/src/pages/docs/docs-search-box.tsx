import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { docsTarget } from "../../parts/docs-link.tsx";
import { Input } from "../../parts/inputs/field.tsx";
import { MATCHES_ID } from "./search-results.tsx";
import { searchDocs } from "./search-docs.ts";
import { useDocsSections } from "./use-docs.ts";

const LABEL = "Search the docs";

/** Searches while typing. The results are shown instead of the page and are in the URL, so that Back returns to them. */
export function DocsSearchBox(): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  const { page, query } = useShownSearch();
  const [typed, setTyped] = useState(query);
  const [isUsed, setUsed] = useState(query !== "");
  const { data: sections = [] } = useDocsSections(isUsed);
  useSlashKey(() => box.current?.focus());
  useEffect(() => {
    // While the user types, the URL follows the box. Otherwise the box follows the URL.
    if (document.activeElement !== box.current) setTyped(query);
  }, [query]);
  const search = (text: string): void => {
    setTyped(text);
    void navigate({ to: "/docs", search: text.trim() === "" ? {} : { search: text }, replace: page === "" });
  };
  const openFirst = (): void => {
    const [first] = searchDocs(sections, typed);
    if (!first) return;
    // Moves the focus to the page.
    box.current?.blur();
    void navigate(docsTarget(first.to));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Enter") openFirst();
    else if (event.key === "Escape") search("");
    else if (event.key === "ArrowDown") document.querySelector<HTMLElement>(`#${MATCHES_ID} a`)?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <search className="relative block">
      <Search size={14} className="pointer-events-none absolute top-2.25 left-2.5 text-ink-3" aria-hidden />
      <Input
        ref={box}
        type="search"
        aria-label={LABEL}
        aria-keyshortcuts="/"
        placeholder={LABEL}
        value={typed}
        onChange={({ target }) => search(target.value)}
        onFocus={() => setUsed(true)}
        onKeyDown={onKeyDown}
        className="peer w-full pl-8"
      />
      <kbd className="pointer-events-none absolute top-1.75 right-2.5 font-sans text-sm text-ink-3 peer-focus:hidden max-lg:hidden">/</kbd>
    </search>
  );
}

/** The search whose results are shown. Other pages may have their own search. */
function useShownSearch(): { readonly page: string; readonly query: string } {
  const { _splat: page = "" } = useParams({ strict: false });
  const { search = "" } = useSearch({ strict: false });
  return { page, query: page === "" ? search : "" };
}

/** The slash key focuses the search, as in most documentation. */
function useSlashKey(act: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, [role=dialog]") !== null;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
