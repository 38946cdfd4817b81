import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import { pickSearch } from "../../shell/search.ts";

const frame = createRoute({
  getParentRoute: () => rootRoute,
  id: "docs",
  component: lazyRouteComponent(() => import("./docs-layout.tsx"), "DocsLayout"),
});

const first = createRoute({
  getParentRoute: () => frame,
  path: "/docs",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

const section = createRoute({
  getParentRoute: () => frame,
  path: "/docs/$section",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

export const docsRoutes = [frame.addChildren([first, section])] as const;
