import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/audit",
  validateSearch: pickSearch("actor", "action", "kind", "id", "account", "from", "to"),
  component: lazyRouteComponent(() => import("./audit-page.tsx"), "AuditPage"),
});

export const auditRoutes = [page] as const;
