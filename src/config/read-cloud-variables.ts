import { Secret } from "../lib/secret/secret.ts";
import { CLOUD_VARIABLES, type CloudVariables } from "../models/identities/cloud-variables.ts";
import type { Environment } from "./config-error.ts";

/** The variables of clouds that are set. */
export function readCloudVariables(env: Environment): CloudVariables {
  return Object.fromEntries(CLOUD_VARIABLES.flatMap((name) => (env[name] ? [[name, new Secret(env[name])]] : [])));
}

const PROXY_VARIABLES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** The variables of HTTP proxies that are set. The libraries of clouds use them, so operators may expect the same of Tollgate. */
export function findProxyVariables(env: Environment): string[] {
  return PROXY_VARIABLES.filter((name) => env[name]);
}
