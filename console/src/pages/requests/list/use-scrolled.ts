import { useSyncExternalStore } from "react";

/** Up to this offset the top of the list is visible. */
const AT_TOP_PX = 120;

function subscribe(notify: () => void): () => void {
  addEventListener("scroll", notify, { passive: true });
  return () => removeEventListener("scroll", notify);
}

/** Whether the page is scrolled down, so that new rows at the top would move the visible ones. */
export function useScrolled(): boolean {
  return useSyncExternalStore(subscribe, () => scrollY > AT_TOP_PX);
}
