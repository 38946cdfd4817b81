import { createRoute, createRouter } from "@tanstack/react-router";
import { accountRoutes } from "./pages/accounts/routes.tsx";
import { alertRoutes } from "./pages/alerts/routes.tsx";
import { auditRoutes } from "./pages/audit/routes.tsx";
import { docsRoutes } from "./pages/docs/routes.tsx";
import { instanceRoutes } from "./pages/instances/routes.tsx";
import { keyRoutes } from "./pages/keys/routes.tsx";
import { marginRoutes } from "./pages/margin/routes.tsx";
import { modelRoutes } from "./pages/models/routes.tsx";
import { overviewRoutes } from "./pages/overview/routes.tsx";
import { peopleRoutes } from "./pages/people/routes.tsx";
import { playgroundRoutes } from "./pages/playground/routes.tsx";
import { priceListRoutes } from "./pages/price-lists/routes.tsx";
import { reconciliationRoutes } from "./pages/reconciliation/routes.tsx";
import { requestRoutes } from "./pages/requests/routes.tsx";
import { settingsRoutes } from "./pages/settings/routes.tsx";
import { startRoutes } from "./pages/start/routes.tsx";
import { upstreamRoutes } from "./pages/upstreams/routes.tsx";
import { welcomeRoutes } from "./pages/welcome/routes.tsx";
import { base } from "./platform/base.ts";
import { Failed } from "./parts/states.tsx";
import { watchNavigation } from "./shell/last-navigation.ts";
import { NotFound } from "./shell/not-found.tsx";
import { rootRoute } from "./shell/root-route.tsx";
import { readSearch, writeSearch } from "./shell/search.ts";
import { signedInRoute } from "./shell/signed-in-route.tsx";

/** A child of the layout route, so that the navigation stays. */
const notFoundRoute = createRoute({ getParentRoute: () => signedInRoute, path: "$", component: NotFound });

const signedIn = signedInRoute.addChildren([
  ...overviewRoutes,
  ...requestRoutes,
  ...playgroundRoutes,
  ...marginRoutes,
  ...reconciliationRoutes,
  ...modelRoutes,
  ...priceListRoutes,
  ...upstreamRoutes,
  ...keyRoutes,
  ...accountRoutes,
  ...peopleRoutes,
  ...alertRoutes,
  ...instanceRoutes,
  ...auditRoutes,
  ...settingsRoutes,
  ...startRoutes,
  notFoundRoute,
]);

export const router = createRouter({
  routeTree: rootRoute.addChildren([signedIn, ...docsRoutes, ...welcomeRoutes]),
  basepath: base === "" ? "/" : base,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: ({ error, reset }) => <Failed error={error as Error} retry={reset} />,
  defaultPreload: "intent",
  // Remount when the ID in the path changes: a dialog opened for one resource must not act on the next.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: true,
});

watchNavigation(router.history);

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
