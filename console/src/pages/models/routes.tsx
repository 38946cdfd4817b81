import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { BREAKDOWN_SEARCH } from "../../breakdown/breakdown.ts";
import { RANGE_SEARCH } from "../../breakdown/range.ts";
import { LIST_SEARCH } from "../../parts/list/list-search.ts";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models",
  validateSearch: pickSearch("search", "state", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./models-page.tsx"), "ModelsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models/$id",
  validateSearch: pickSearch("tab", ...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./model-page.tsx"), "ModelPage"),
});

export const modelRoutes = [list, one] as const;
