import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import { pickSearch } from "../../shell/search.ts";

const frame = createRoute({
  getParentRoute: () => rootRoute,
  id: "docs",
  // The search box keeps the focus when another page is opened.
  remountDeps: () => "docs",
  component: lazyRouteComponent(() => import("./docs-layout.tsx"), "DocsLayout"),
});

const first = createRoute({
  getParentRoute: () => frame,
  path: "/docs",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

const page = createRoute({
  getParentRoute: () => frame,
  path: "/docs/$",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./docs-page.tsx"), "DocsPage"),
});

export const docsRoutes = [frame.addChildren([first, page])] as const;
