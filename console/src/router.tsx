import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { BREAKDOWN_SEARCH } from "./breakdown/breakdown.ts";
import { RANGE_SEARCH } from "./breakdown/range.ts";
import { LIST_SEARCH } from "./parts/list/list-search.ts";
import { base } from "./platform/base.ts";
import { Failed } from "./parts/states.tsx";
import { watchNavigation } from "./shell/last-navigation.ts";
import { NotFound } from "./shell/not-found.tsx";
import { rootRoute } from "./shell/root-route.tsx";
import { pickSearch, readSearch, writeSearch } from "./shell/search.ts";
import { signedInRoute } from "./shell/signed-in-route.tsx";

const overview = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH, "account", "model"),
  component: lazyRouteComponent(() => import("./pages/overview/overview-page.tsx"), "OverviewPage"),
});

const requests = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests",
  validateSearch: pickSearch(
    "account",
    "key",
    "model",
    "user",
    "tag",
    "conversation",
    "endpoint",
    "upstream",
    "status",
    "outcome",
    "code",
    "error",
    "mirror",
    "min_cost",
    "max_cost",
    "min_duration_ms",
    "max_duration_ms",
    "min_tokens",
    "max_tokens",
    "min_attempts",
    "max_attempts",
    "since",
    "from",
    "to",
    "live",
    "sort",
    "order",
    "group",
  ),
  component: lazyRouteComponent(() => import("./pages/requests/requests-page.tsx"), "RequestsPage"),
});

/** The list with an open request. The parent route renders both, so that the list keeps its state. */
const request = createRoute({ getParentRoute: () => requests, path: "$id" });

const requestComparison = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/requests/compare",
  validateSearch: pickSearch("a", "b"),
  component: lazyRouteComponent(() => import("./pages/requests/compare/compare-page.tsx"), "ComparePage"),
});

const playground = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/playground",
  validateSearch: pickSearch("model", "key", "beside", "request", "question"),
  component: lazyRouteComponent(() => import("./pages/playground/playground-page.tsx"), "PlaygroundPage"),
});

const margin = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/margin",
  validateSearch: pickSearch("by", "account", "model", "days"),
  component: lazyRouteComponent(() => import("./pages/margin/margin-page.tsx"), "MarginPage"),
});

const reconciliation = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/reconciliation",
  validateSearch: pickSearch("provider", "upstream"),
  component: lazyRouteComponent(() => import("./pages/reconciliation/reconciliation-page.tsx"), "ReconciliationPage"),
});

const models = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models",
  validateSearch: pickSearch("search", "state", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./pages/models/models-page.tsx"), "ModelsPage"),
});

const model = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/models/$id",
  validateSearch: pickSearch("tab", ...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./pages/models/model-page.tsx"), "ModelPage"),
});

const priceLists = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/price-lists",
  component: lazyRouteComponent(() => import("./pages/price-lists/price-lists-page.tsx"), "PriceListsPage"),
});

const priceList = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/price-lists/$id",
  component: lazyRouteComponent(() => import("./pages/price-lists/price-list-page.tsx"), "PriceListPage"),
});

const upstreams = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/upstreams",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./pages/upstreams/upstreams-page.tsx"), "UpstreamsPage"),
});

const upstream = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/upstreams/$id",
  validateSearch: pickSearch("tab"),
  component: lazyRouteComponent(() => import("./pages/upstreams/upstream-page.tsx"), "UpstreamPage"),
});

const keys = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/keys",
  validateSearch: pickSearch("search", "state", "account", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./pages/keys/keys-page.tsx"), "KeysPage"),
});

const key = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/keys/$id",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./pages/keys/key-page.tsx"), "KeyPage"),
});

const accounts = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts",
  validateSearch: pickSearch("search", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./pages/accounts/accounts-page.tsx"), "AccountsPage"),
});

const account = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/accounts/$id",
  validateSearch: pickSearch(...RANGE_SEARCH, ...BREAKDOWN_SEARCH),
  component: lazyRouteComponent(() => import("./pages/accounts/account-view.tsx"), "AccountPage"),
});

const people = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/people",
  validateSearch: pickSearch("search", "role", "account", ...LIST_SEARCH),
  component: lazyRouteComponent(() => import("./pages/people/people-page.tsx"), "PeoplePage"),
});

const person = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/people/$id",
  component: lazyRouteComponent(() => import("./pages/people/person-page.tsx"), "PersonPage"),
});

const alerts = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/alerts",
  validateSearch: pickSearch("state", "type"),
  component: lazyRouteComponent(() => import("./pages/alerts/alerts-page.tsx"), "AlertsPage"),
});

const webhook = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/alerts/$id",
  validateSearch: pickSearch("state"),
  component: lazyRouteComponent(() => import("./pages/alerts/webhook-page.tsx"), "WebhookPage"),
});

const instances = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/instances",
  component: lazyRouteComponent(() => import("./pages/instances/instances-page.tsx"), "InstancesPage"),
});

const audit = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/audit",
  validateSearch: pickSearch("actor", "action", "kind", "id", "account", "from", "to"),
  component: lazyRouteComponent(() => import("./pages/audit/audit-page.tsx"), "AuditPage"),
});

const settings = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
});

const settingsSection = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/settings/$section",
  component: lazyRouteComponent(() => import("./pages/settings/settings-page.tsx"), "SettingsPage"),
});

const start = createRoute({
  getParentRoute: () => signedInRoute,
  path: "/start",
  component: lazyRouteComponent(() => import("./pages/start/start-page.tsx"), "StartPage"),
});

const docs = createRoute({
  getParentRoute: () => rootRoute,
  id: "docs",
  // The search box keeps the focus when another page is opened.
  remountDeps: () => "docs",
  component: lazyRouteComponent(() => import("./pages/docs/docs-layout.tsx"), "DocsLayout"),
});

const docsIndex = createRoute({
  getParentRoute: () => docs,
  path: "/docs",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./pages/docs/docs-page.tsx"), "DocsPage"),
});

const docsPage = createRoute({
  getParentRoute: () => docs,
  path: "/docs/$",
  validateSearch: pickSearch("search"),
  component: lazyRouteComponent(() => import("./pages/docs/docs-page.tsx"), "DocsPage"),
});

const welcome = createRoute({
  getParentRoute: () => rootRoute,
  path: "/welcome",
  component: lazyRouteComponent(() => import("./pages/welcome/welcome-page.tsx"), "WelcomePage"),
});

/** A child of the layout route, so that the navigation stays. */
const notFoundRoute = createRoute({ getParentRoute: () => signedInRoute, path: "$", component: NotFound });

const signedIn = signedInRoute.addChildren([
  overview,
  requests.addChildren([request]),
  requestComparison,
  playground,
  margin,
  reconciliation,
  models,
  model,
  priceLists,
  priceList,
  upstreams,
  upstream,
  keys,
  key,
  accounts,
  account,
  people,
  person,
  alerts,
  webhook,
  instances,
  audit,
  settings,
  settingsSection,
  start,
  notFoundRoute,
]);

export const router = createRouter({
  routeTree: rootRoute.addChildren([signedIn, docs.addChildren([docsIndex, docsPage]), welcome]),
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
