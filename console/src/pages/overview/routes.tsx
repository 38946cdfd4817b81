import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BREAKDOWN_SEARCH } from "../../breakdown/breakdown.ts";
import { RANGE_SEARCH } from "../../breakdown/range.ts";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH, "account", "model"),
  component: lazyRouteComponent(() => import("./overview-page.tsx"), "OverviewPage"),
});

export const overviewRoutes = [page] as const;
