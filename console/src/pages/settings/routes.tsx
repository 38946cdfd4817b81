import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { signedInRoute } from "../../shell/signed-in-route.tsx";

const list = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

const one = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/$section",
  component: lazyRouteComponent(() => import("./settings-page.tsx"), "SettingsPage"),
});

export const settingsRoutes = [list, one] as const;
