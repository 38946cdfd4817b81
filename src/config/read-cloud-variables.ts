import { Secret } from "../lib/secret/secret.ts";
import { CLOUD_VARIABLES, type CloudVariables } from "../models/identities/cloud-variables.ts";
import type { Environment } from "./config-error.ts";

/** The cloud variables that are set. */
export function readCloudVariables(env: Environment): CloudVariables {
  return Object.fromEntries(CLOUD_VARIABLES.flatMap((name) => (env[name] ? [[name, new Secret(env[name])]] : [])));
}
