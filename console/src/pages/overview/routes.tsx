import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: pickSearch("range", "from", "to", "zone", "account", "model"),
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});

export const overviewRoutes = [page] as const;
