import type { LinkProps } from "@tanstack/react-router";

/** Something that the palette leads to: a page, or something that is done at once. */
export interface PaletteItem {
  readonly id: string;
  readonly label: string;
  /** Says more of it, on the right. */
  readonly note?: string;
  readonly go: { readonly link: LinkProps } | { readonly act: () => void };
}

export interface PaletteGroup {
  readonly value: string;
  readonly items: readonly PaletteItem[];
}

const REQUEST_ID = /^req_[0-9a-f-]{36}$/;

/** A request is found by its id alone, wherever that was copied from. */
export function requestItem(text: string): PaletteGroup[] {
  const id = text.trim();
  if (!REQUEST_ID.test(id)) return [];
  return [{ value: "Request", items: [{ id, label: id, go: { link: { to: "/requests/$id", params: { id } } } }] }];
}

/** Those whose name has all of the words that were typed, in any order. Groups without any are left out. */
export function matching(groups: readonly PaletteGroup[], text: string): PaletteGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map(({ value, items }) => ({ value, items: items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word))) }))
    .filter(({ items }) => items.length > 0);
}
