import { createRootRoute, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Toasts } from "../parts/overlays/toasts.tsx";
import { usePageFocus } from "./use-page-focus.ts";

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
