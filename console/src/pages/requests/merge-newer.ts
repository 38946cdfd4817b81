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
  return { pages: [{ ...top, data: [...found.data.toReversed(), ...top.data], newer: found.newer ?? top.newer }, ...rest], pageParams };
}
