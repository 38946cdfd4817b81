import { ConfigError, type Environment } from "./config-error.ts";
import { idOfApiKey } from "../access/api-key.ts";
import { CREDENTIAL_VARIABLES } from "../models/presets.ts";

/** The names of the variables. */
interface SecretVariables {
  readonly operatorToken: string;
  readonly secret: string;
  readonly oldSecret: string;
  readonly hashSecret: string;
  readonly oidcClientSecret: string;
}

/** Each secret must be different, so that knowing one does not reveal another. */
export function refuseReusedSecrets(env: Environment, names: SecretVariables): void {
  if (env[names.oldSecret] && !env[names.secret]) {
    throw new ConfigError(`${names.oldSecret} is the previous value of ${names.secret}, which is not set`);
  }
  if (idOfApiKey(env[names.operatorToken] ?? "") !== undefined) {
    throw new ConfigError(`${names.operatorToken} is a key for model calls: its holder would be an operator`);
  }
  const own = [names.operatorToken, names.secret, names.oldSecret, names.hashSecret, names.oidcClientSecret];
  const all = [...own, ...CREDENTIAL_VARIABLES];
  for (const [at, name] of own.entries()) {
    const same = all.slice(at + 1).find((other) => env[name] && env[name] === env[other]);
    if (same !== undefined) throw new ConfigError(`${name} and ${same} are equal: each needs its own secret`);
  }
}
