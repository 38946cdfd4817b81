import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { pickSearch } from "../../shell/search.ts";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const page = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/playground",
  validateSearch: pickSearch("model", "key", "beside", "request", "question"),
  component: lazyRouteComponent(() => import("./playground-page.tsx"), "PlaygroundPage"),
});

export const playgroundRoutes = [page] as const;
