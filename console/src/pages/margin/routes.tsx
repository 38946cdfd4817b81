import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/margin",
  validateSearch: pickSearch("by", "account", "model", "days"),
  component: lazyRouteComponent(() => import("./margin-page.tsx"), "MarginPage"),
});

export const marginRoutes = [page] as const;
