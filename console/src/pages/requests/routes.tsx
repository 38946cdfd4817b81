import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests",
  validateSearch: pickSearch(
    "account",
    "key",
    "model",
    "user",
    "tag",
    "conversation",
    "upstream",
    "status",
    "outcome",
    "code",
    "error",
    "mirror",
    "min_cost",
    "max_cost",
    "min_duration_ms",
    "max_duration_ms",
    "min_tokens",
    "max_tokens",
    "min_attempts",
    "max_attempts",
    "since",
    "from",
    "to",
    "live",
    "sort",
    "order",
    "group",
  ),
  component: lazyRouteComponent(() => import("./requests-page.tsx"), "RequestsPage"),
});

/** The list with an open request. The parent route renders both, so that the list keeps its state. */
const one = createRoute({ getParentRoute: () => list, path: "$id" });

const compare = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests/compare",
  validateSearch: pickSearch("a", "b"),
  component: lazyRouteComponent(() => import("./compare/compare-page.tsx"), "ComparePage"),
});

export const requestRoutes = [list.addChildren([one]), compare] as const;
