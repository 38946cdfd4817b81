import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/upstreams",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./upstreams-page.tsx"), "UpstreamsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/upstreams/$id",
  validateSearch: pickSearch("tab"),
  component: lazyRouteComponent(() => import("./upstream-page.tsx"), "UpstreamPage"),
});

export const upstreamRoutes = [list, one] as const;
