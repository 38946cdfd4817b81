import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/start",
  component: lazyRouteComponent(() => import("./start-page.tsx"), "StartPage"),
});

export const startRoutes = [page] as const;
