import type { LinkProps } from "@tanstack/react-router";

/** An entry of the command palette: a page to open, or an action to run. */
export interface PaletteItem {
  readonly id: string;
  readonly label: string;
  /** Secondary text, on the right. */
  readonly note?: string;
  readonly go: { readonly link: LinkProps } | { readonly act: () => void };
}

export interface PaletteGroup {
  readonly value: string;
  readonly items: readonly PaletteItem[];
}

const REQUEST_ID = /^req_[0-9a-f-]{36}$/;

/** A pasted request ID leads to that request. */
export function requestItem(text: string): PaletteGroup[] {
  const id = text.trim();
  if (!REQUEST_ID.test(id)) return [];
  return [{ value: "Request", items: [{ id, label: id, go: { link: { to: "/requests/$id", params: { id } } } }] }];
}

/** Any other text can be searched for in the documentation. */
export function docsItem(text: string): PaletteGroup[] {
  const search = text.trim();
  if (search === "" || REQUEST_ID.test(search)) return [];
  return [
    {
      value: "Docs",
      items: [{ id: "docs search", label: `Search the docs for “${search}”`, go: { link: { to: "/docs", search: { search } } } }],
    },
  ];
}

/** The items whose label contains every typed word, in any order. Empty groups are omitted. */
export function matching(groups: readonly PaletteGroup[], text: string): PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map(({ value, items }) => ({ value, items: items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))) }))
    .filter(({ items }) => items.length > 0);
}
