/** Host names under which another site's page, or a careless proxy, might send requests to the platform. */
export const FOREIGN_HOSTS = [
  "evil.example",
  "evil.example:8701",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127-0-0-1.nip.io",
  "localtest.me",
  "tollgate",
  "192.168.1.1",
  "169.254.169.254",
  "0.0.0.0",
  "[::]",
  "[::ffff:127.0.0.1]",
  "2130706433",
  "0x7f000001",
  "127.1",
  "localhost.",
  "localhost:80:80",
  "",
] as const;

/** Values that are not valid hosts. */
export const NO_HOSTS = ["localhost, evil.example", "user@localhost", "evil.example/127.0.0.1"] as const;

/** Paths that must not exist, although other servers have them. */
export const NO_PATHS = [
  "/api",
  "/api/",
  "/api/nothing",
  "/api/keys/a/b/c",
  "/api/v1/keys",
  "/admin",
  "/console",
  "/debug/pprof",
  "/openapi.json",
  "/.env",
  "/.git/config",
  "/tollgate.yaml",
  "/data/tollgate.db",
  "/data/operator-token",
  "/index.html",
  "/console/index.html",
  "/dist/console/index.html",
  "/assets",
  "/assets/",
  "/assets/.",
  "/assets/..",
  "/assets/../index.html",
  "/../../etc/passwd",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/assets/../../data/operator-token",
  "/assets/..%2f..%2fpackage.json",
  "/assets/%2e%2e%2findex.html",
  "/assets/%2fetc%2fpasswd",
  "/assets/..%5cindex.html",
  "/assets/index.html",
  "/assets/style.css%00.js",
  "/assets/__proto__",
  "//evil.example/",
] as const;

/** A route's path with repeated slashes, which proxies and other servers treat like the path itself. */
export function repeatedSlashesOf(pattern: string): string[] {
  const path = pattern.replaceAll(/:\w+/g, "none-such");
  return [`/${path}`, path.replaceAll("/", "//"), `${path}//`, path.replace(/\/(?=[^/]*$)/, "//")];
}

/** Other spellings of a route's path, which some servers treat like the path itself. */
export function spellingsOf(pattern: string): string[] {
  const path = pattern.replaceAll(/:\w+/g, "none-such");
  const rest = path.slice(1);
  return [
    `/${path}`,
    // The spelling of the route itself.
    `/${pattern}`,
    path.replaceAll("/", "//"),
    `${path}/`,
    `${path}//`,
    `/.${path}`,
    `/./${rest}`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `/%2e${path}`,
    `/api/keys/..%2f..${path}`,
    `/api/keys/%2e%2e%2f%2e%2e%2f${rest.replaceAll("/", "%2f")}`,
    `/welcome/..;${path}`,
    `/welcome;${path}`,
    `${path};x=1`,
    `${path}.`,
    `${path}.json`,
    `${path}%20`,
    `${path}%00`,
    `${path}%0d%0ax-tollgate-request:1`,
    `${path}%3f`,
    `${path}?`,
    `${path}#x`,
    `/${rest.toUpperCase()}`,
    `/%${rest.charCodeAt(0).toString(16)}${rest.slice(1)}`,
    `/${rest.replaceAll("/", "%2f")}`,
    `/${rest.replaceAll("/", "\\")}`,
    `http://evil.example${path}`,
    `http://127.0.0.1${path}`,
    `/\u00a0${rest}`,
  ];
}
