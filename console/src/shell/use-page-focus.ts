import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** A list with one of its things open beside it: they are one page. */
const LIST = /^\/requests(\/|$)/;

/** Puts the focus on the heading of a page that was gone to, as a browser does at the top of a new document: so it is read out. */
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

/** Unless the page has put it where something is to be typed. */
function focusHeading(): void {
  const main = document.querySelector("main");
  if (main === document.activeElement || !main?.contains(document.activeElement)) {
    main?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }
}
