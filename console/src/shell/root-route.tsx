import { createRootRoute, Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Toasts } from "../parts/toasts.tsx";

export const rootRoute = createRootRoute({ component: Root });

function Root(): ReactNode {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}
