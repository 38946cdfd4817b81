import { parseRange } from "../lib/net/ip-address.ts";
import { Secret } from "../lib/secret/secret.ts";
import type { DirectHost, EgressProxy, EgressSettings } from "../models/egress-proxy.ts";
import { ConfigError, type Environment } from "./config-error.ts";
import { readChoice } from "./variables.ts";

/** The names of the variables. */
interface EgressVariables {
  readonly egressProxy: string;
  readonly egressProxyTarget: string;
}

/** In the order in which other programs read them: the first variable that is set counts. */
const ENCRYPTED = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const PLAIN = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
const DIRECT = ["NO_PROXY", "no_proxy"];

/** The proxy of Tollgate's own setting, or the proxies of the environment. Undefined if everything is called directly. */
export function readEgress(env: Environment, names: EgressVariables): EgressSettings | undefined {
  const target = readChoice(env, names.egressProxyTarget, ["address", "name"]);
  const own = env[names.egressProxy];
  const isOff = own === "off";
  const [encrypted, plain] = own
    ? [names.egressProxy, names.egressProxy]
    : [ENCRYPTED, PLAIN].map((variables) => variables.find((each) => isHttpProxy(env[each])));
  if (isOff || (encrypted === undefined && plain === undefined)) {
    if (target === "name")
      throw new ConfigError(`${names.egressProxyTarget} is set, but there is no proxy: ${names.egressProxy} names one`);
    return undefined;
  }
  const read = (variable: string | undefined): EgressProxy | undefined => (variable === undefined ? undefined : readProxy(env, variable));
  return { encrypted: read(encrypted), plain: read(plain), target, ...readDirect(env) };
}

/** Other programs use other kinds of proxies, such as `socks5://`: these must not prevent the gateway from starting. */
function isHttpProxy(text: string | undefined): boolean {
  return text !== undefined && urlOf(text)?.protocol === "http:";
}

function urlOf(text: string): URL | null {
  return URL.parse(text.includes("://") ? text : `http://${text}`);
}

/** A message never repeats the URL, which may have a password. */
function readProxy(env: Environment, variable: string): EgressProxy {
  const text = env[variable]!;
  const url = urlOf(text);
  if (url?.protocol !== "http:")
    throw new ConfigError(`${variable} must be http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, the address of an HTTP proxy`);
  if (url.pathname !== "/" || url.search || url.hash) throw new ConfigError(`${variable} must end with the host or its port`);
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port || "80"),
    authorization: readAuthorization(url, variable),
    variable,
  };
}

function readAuthorization({ username, password }: URL, variable: string): Secret | undefined {
  if (!username && !password) return undefined;
  try {
    return new Secret(`Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`);
  } catch {
    throw new ConfigError(`${variable} has a % that is not percent-encoded: write %25`);
  }
}

/** Entries that are neither a host name nor an address range are meant for other programs. */
function readDirect(env: Environment): Pick<EgressSettings, "directHosts" | "directRanges"> {
  const variable = DIRECT.find((each) => env[each]);
  const entries = (variable === undefined ? "" : env[variable]!).split(/[\s,]+/).filter(Boolean);
  const ranges = entries.map((each) => parseRange(each.replace(/^\[(.*)\]$/, "$1")));
  return {
    directRanges: ranges.filter((range) => range !== undefined),
    directHosts: entries.filter((_each, at) => ranges[at] === undefined).map(toHost),
  };
}

/** `example.com`, `.example.com` and `*.example.com` mean the same: the name and all names below it. */
function toHost(entry: string): DirectHost {
  const [, name = entry, port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: name === "*" ? name : name.toLowerCase().replace(/^\*?\./, ""), port: port === undefined ? undefined : Number(port) };
}
