import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";

const list = createRoute({
  getParentRoute: () => rootRoute,
  path: "/docs",
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

const one = createRoute({
  getParentRoute: () => rootRoute,
  path: "/docs/$section",
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

export const docsRoutes = [list, one] as const;
