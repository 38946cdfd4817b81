import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BREAKDOWN_SEARCH } from "../../breakdown/breakdown.ts";
import { RANGE_SEARCH } from "../../breakdown/range.ts";
import { LIST_SEARCH } from "../../parts/list/list-search.ts";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts",
  validateSearch: pickSearch("search", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./accounts-page.tsx"), "AccountsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts/$id",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./account-view.tsx"), "AccountPage"),
});

export const accountRoutes = [list, one] as const;
