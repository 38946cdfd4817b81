import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";
import type { SeededGateway } from "./seeded-gateway.ts";

interface EveryPage {
  /** The path pattern of the router. */
  readonly route: string;
  /** The URLs to check: one per variant of the page. The test that walks through all pages opens the first URL, which has few rows. */
  readonly at: (seeded: SeededGateway) => readonly string[];
  /** The heading of the page. */
  readonly heading: RegExp;
  /** Whether the page is also checked as a member. */
  readonly isForMembers?: true;
}

/** All pages of the console. A test fails when a route is missing here. */
export const EVERY_PAGE: readonly EveryPage[] = [
  { route: "/", at: () => ["/"], heading: /^Overview/, isForMembers: true },
  { route: "/requests", at: () => ["/requests"], heading: /^Requests/, isForMembers: true },
  { route: "/requests/$id", at: ({ requestId }) => [`/requests/${requestId}`], heading: /^Requests/, isForMembers: true },
  {
    route: "/requests/compare",
    at: ({ requestId }) => [`/requests/compare?a=${requestId}&b=${requestId}`, "/requests/compare"],
    heading: /^Compare requests/,
    isForMembers: true,
  },
  { route: "/playground", at: () => ["/playground", "/playground?model=plain&beside=twice"], heading: /^Playground/, isForMembers: true },
  { route: "/models", at: () => ["/models"], heading: /^Models/, isForMembers: true },
  {
    route: "/models/$id",
    at: () => ["/models/old", ...["usage", "routes", "prices", "keys", "announcements"].map((tab) => `/models/twice?tab=${tab}`)],
    heading: /^(old|twice)/,
  },
  { route: "/price-lists", at: () => ["/price-lists"], heading: /^Price lists/ },
  { route: "/price-lists/$id", at: () => ["/price-lists/partners"], heading: /^Partners/ },
  { route: "/margin", at: () => ["/margin", "/margin?by=day"], heading: /^Margin/ },
  { route: "/reconciliation", at: () => ["/reconciliation"], heading: /^Reconciliation/ },
  { route: "/upstreams", at: () => ["/upstreams"], heading: /^Upstreams/ },
  {
    route: "/upstreams/$id",
    at: () => ["health", "about", "credentials", "test"].map((tab) => `/upstreams/east?tab=${tab}`),
    heading: /^east/,
  },
  { route: "/keys", at: () => ["/keys"], heading: /^Keys/, isForMembers: true },
  { route: "/keys/$id", at: ({ keyId }) => [`/keys/${keyId}`], heading: /^a-name/ },
  { route: "/accounts", at: () => ["/accounts"], heading: /^(Accounts|acme)/, isForMembers: true },
  { route: "/accounts/$id", at: ({ account }) => [`/accounts/${account}`], heading: /^acme/ },
  { route: "/people", at: () => ["/people"], heading: /^People/ },
  { route: "/people/$id", at: ({ personId }) => [`/people/${personId}`], heading: /^Ada/ },
  { route: "/alerts", at: () => ["/alerts"], heading: /^Alerts/ },
  { route: "/alerts/$id", at: ({ webhookId }) => [`/alerts/${webhookId}`], heading: /^on call/ },
  { route: "/instances", at: () => ["/instances"], heading: /^Instances/ },
  { route: "/audit", at: () => ["/audit?kind=account", "/audit"], heading: /^Audit/ },
  { route: "/settings", at: () => ["/settings"], heading: /^Settings/, isForMembers: true },
  {
    route: "/settings/$section",
    at: () => ["appearance", "sessions", "tokens", "gateway"].map((section) => `/settings/${section}`),
    heading: /^(Settings|Not found)/,
  },
  { route: "/start", at: () => ["/start"], heading: /^Get started/, isForMembers: true },
  { route: "/docs", at: () => ["/docs?search=idempotency", "/docs"], heading: /^(Docs|Search)/, isForMembers: true },
  {
    route: "/docs/$",
    at: () =>
      ["change-preview", "routing", "configuration", "openapi/platform", "changelog", "announcements"].map((page) => `/docs/${page}`),
    heading: /^(Impact preview|Routing|Configuration|Platform|Changes|Announcements)/,
    isForMembers: true,
  },
  { route: "/welcome", at: () => ["/welcome"], heading: /./ },
];

/** The paths of all routes. A path without a leading slash is relative to the path of its parent. */
export async function routesOfTheRouter(): Promise<string[]> {
  const router = await Bun.file(join(ROOT, "console/src/router.tsx")).text();
  const routes = [...router.matchAll(/const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: "([^"]+)"/g)];
  const paths = new Map(routes.map(([, name, , path]) => [name!, path!]));
  return routes.flatMap(([, , parent, path]) =>
    path!.startsWith("/") ? [path!] : paths.has(parent!) ? [`${paths.get(parent!)}/${path}`] : [],
  );
}
