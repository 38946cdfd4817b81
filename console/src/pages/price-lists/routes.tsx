import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/price-lists",
  component: lazyRouteComponent(() => import("./price-lists-page.tsx"), "PriceListsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/price-lists/$id",
  component: lazyRouteComponent(() => import("./price-list-page.tsx"), "PriceListPage"),
});

export const priceListRoutes = [list, one] as const;
