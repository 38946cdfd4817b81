import { createRootRoute, Outlet, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { Toasts } from "../parts/overlays/toasts.tsx";

export const rootRoute = createRootRoute({ component: Root });

function Root(): ReactNode {
  usePageFocus();
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}

/** The request list and its detail panel are one page. */
const LIST = /^\/requests(\/|$)/;

/** Moves the focus to the heading after navigation, so that screen readers announce the new page. */
function usePageFocus(): void {
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
