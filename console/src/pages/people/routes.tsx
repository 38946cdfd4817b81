import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { LIST_SEARCH } from "../../parts/list/list-search.ts";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/people",
  validateSearch: pickSearch("search", "role", "account", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./people-page.tsx"), "PeoplePage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/people/$id",
  component: lazyRouteComponent(() => import("./person-page.tsx"), "PersonPage"),
});

export const peopleRoutes = [list, one] as const;
