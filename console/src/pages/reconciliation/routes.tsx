import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/reconciliation",
  validateSearch: pickSearch("provider", "upstream"),
  component: lazyRouteComponent(() => import("./reconciliation-page.tsx"), "ReconciliationPage"),
});

export const reconciliationRoutes = [page] as const;
