import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/alerts",
  validateSearch: pickSearch("state", "type"),
  component: lazyRouteComponent(() => import("./alerts-page.tsx"), "AlertsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/alerts/$id",
  validateSearch: pickSearch("state"),
  component: lazyRouteComponent(() => import("./webhook-page.tsx"), "WebhookPage"),
});

export const alertRoutes = [list, one] as const;
