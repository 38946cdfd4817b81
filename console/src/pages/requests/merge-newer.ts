import type { LoggedRequest } from "../../platform/interface.ts";

interface Page {
  readonly data: readonly LoggedRequest[];
  readonly next: string | null;
  readonly newer: string | null;
}

interface Pages {
  pages: Page[];
  pageParams: (string | null)[];
}

/** What has come since, which is oldest first, on top of a list that is newest first. */
export function mergeNewer({ pages: [top, ...rest], pageParams }: Pages, found: Page): Pages {
  if (!top) return { pages: [], pageParams };
  // A cursor is another each time, also where nothing has come: the rows stay the same object then, and are not drawn again.
  const data = found.data.length === 0 ? top.data : [...found.data.toReversed(), ...top.data];
  return { pages: [{ ...top, data, newer: found.newer ?? top.newer }, ...rest], pageParams };
}
