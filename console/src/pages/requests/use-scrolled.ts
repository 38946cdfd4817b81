import { useSyncExternalStore } from "react";

/** So far the top of the list is still in sight. */
const AT_TOP_PX = 120;

function subscribe(tell: () => void): () => void {
  addEventListener("scroll", tell, { passive: true });
  return () => removeEventListener("scroll", tell);
}

/** Whether the page was scrolled down, so that what comes at its top would move what is read. */
export function useScrolled(): boolean {
  return useSyncExternalStore(subscribe, () => scrollY > AT_TOP_PX);
}
