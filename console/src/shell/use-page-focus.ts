import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** The request list and its detail panel are one page. */
const LIST = /^\/requests(\/|$)/;

/** Moves the focus to the heading after navigation, so that screen readers announce the new page. */
export function usePageFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, toLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || (LIST.test(fromLocation.pathname) && LIST.test(toLocation.pathname))) return;
        focusHeading();
      }),
    [router],
  );
}

/** Unless the page has already focused an input. */
function focusHeading(): void {
  const main = document.querySelector("main");
  if (main === document.activeElement || !main?.contains(document.activeElement)) {
    main?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }
}
