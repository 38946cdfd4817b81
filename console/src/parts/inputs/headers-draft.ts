/** A request header in a form. The value of a stored header is never shown: empty means unchanged. */
export interface HeaderDraft {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly isStored: boolean;
}

let added = 0;

export function emptyHeader(): HeaderDraft {
  added += 1;
  return { key: `new ${added}`, name: "", value: "", isStored: false };
}

export function headersDraftOf(names: readonly string[]): readonly HeaderDraft[] {
  return names.map((name) => ({ key: name, name, value: "", isStored: true }));
}

/** The changes: entered values, and null for the stored headers that were removed. Undefined if nothing was edited. */
export function editedHeaders(
  drafts: readonly HeaderDraft[],
  stored: readonly string[],
): { readonly headers?: Readonly<Record<string, string | null>> } {
  const removed = stored.filter((name) => !drafts.some((draft) => draft.isStored && draft.name === name));
  const entered = drafts.filter(({ isStored, name, value }) => value !== "" || (!isStored && name.trim() !== ""));
  const headers = [...removed.map((name) => [name, null] as const), ...entered.map(({ name, value }) => [name.trim(), value] as const)];
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}
