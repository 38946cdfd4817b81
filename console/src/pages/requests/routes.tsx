import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests",
  validateSearch: pickSearch("account", "key", "model", "upstream", "status", "outcome", "code", "from", "to"),
  component: lazyRouteComponent(() => import("./requests-page.tsx"), "RequestsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests/$id",
  validateSearch: pickSearch("account", "key", "model", "upstream", "status", "outcome", "code", "from", "to"),
  component: lazyRouteComponent(() => import("./requests-page.tsx"), "RequestsPage"),
});

export const requestRoutes = [list, one] as const;
