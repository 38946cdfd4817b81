import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BREAKDOWN_SEARCH } from "../../breakdown/breakdown.ts";
import { RANGE_SEARCH } from "../../breakdown/range.ts";
import { LIST_SEARCH } from "../../parts/list/list-search.ts";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/keys",
  validateSearch: pickSearch("search", "state", "account", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./keys-page.tsx"), "KeysPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/keys/$id",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./key-page.tsx"), "KeyPage"),
});

export const keyRoutes = [list, one] as const;
