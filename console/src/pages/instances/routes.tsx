import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/instances",
  component: lazyRouteComponent(() => import("./instances-page.tsx"), "InstancesPage"),
});

export const instanceRoutes = [list] as const;
