import type { LoggedRequest } from "../../../../../platform-client/types.ts";

interface Page {
  readonly data: readonly LoggedRequest[];
  readonly next: string | null;
  readonly newer: string | null;
}

interface Pages {
  pages: Page[];
  pageParams: (string | null)[];
}

/** Prepends newer requests (oldest first) to a list (newest first). */
export function mergeNewer({ pages: [top, ...rest], pageParams }: Pages, found: Page): Pages {
  if (!top) return { pages: [], pageParams };
  // The cursor changes with every poll. Without new rows the array stays the same object, so that the table does not render again.
  const data = found.data.length === 0 ? top.data : [...found.data.toReversed(), ...top.data];
  return { pages: [{ ...top, data, newer: found.newer ?? top.newer }, ...rest], pageParams };
}
