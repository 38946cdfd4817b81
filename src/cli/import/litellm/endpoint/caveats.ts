import { variableIn } from "../references.ts";
import type { Fields } from "../yaml/fields.ts";
import type { ConvertedBaseUrl } from "./base-url.ts";

/** What the operator has to check for a converted endpoint. */
export function caveatsOf({ baseUrl, mayBeRefused }: ConvertedBaseUrl): string[] {
  if (mayBeRefused) return ["converted with http://, which is for private networks only: a server on the internet needs https://"];
  if (!baseUrl.startsWith("${")) return [];
  return ["converted with a base URL from the environment: if it is http:// or private, add allow_private: true"];
}

/** The base URL is the value of the variable plus a path, so the value must not end with a slash. */
export function slashCaveat(given: string): string[] {
  const variable = variableIn(given);
  return variable === undefined ? [] : [`converted with the base URL in ${variable}, which must not end with a slash`];
}

/**
 * LiteLLM sends the provider's secret to any server that `api_base` names. Tollgate does not: the operator has to decide. `variable` is
 * where LiteLLM gets the secret from.
 */
export function secretCaveat(params: Fields, variable: string | undefined): string[] {
  if (variable === undefined || params.peek("api_key") !== undefined) return [];
  return [
    `converted without a credential: LiteLLM sends ${variable}, if it is set. If the server needs it, add credential: \${${variable}}`,
  ];
}
