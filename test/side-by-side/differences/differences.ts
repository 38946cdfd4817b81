import type { Difference } from "./difference.ts";
import { FAILURE_DIFFERENCES } from "./failures.ts";
import { GATEWAY_DIFFERENCES } from "./gateway.ts";
import { HTTP_DIFFERENCES } from "./http.ts";
import { PARAMETER_DIFFERENCES } from "./parameters.ts";

/** Every difference, by the name of the kind. Kinds that are not listed have the same outcome. */
export const DIFFERENCES: Readonly<Record<string, Difference>> = {
  ...PARAMETER_DIFFERENCES,
  ...GATEWAY_DIFFERENCES,
  ...FAILURE_DIFFERENCES,
  ...HTTP_DIFFERENCES,
};
