import { UNKNOWN_HANDLINGS } from "../../../models/parameters/parameter-policy.ts";
import { choice } from "../../options.ts";
import { UsageError, type Option, type Reader } from "../../command.ts";

const HANDLINGS = new Set(["pass", "drop", "refuse"]);

const readParameter: Reader = (given, name) => {
  if (given === "none") return null;
  const [, parameter, handling] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  const [, other] = /^rename:(.+)$/.exec(handling ?? "") ?? [];
  if (parameter !== undefined && other !== undefined) return [parameter, { rename: other }];
  if (parameter !== undefined && HANDLINGS.has(handling!)) return [parameter, handling];
  throw new UsageError(`${name} must be a parameter and what becomes of it, such as logprobs=drop, or seed=rename:random_seed, or none`);
};

export const PARAMETER: Option = {
  field: "parameters",
  value: "NAME=pass|drop|refuse|rename:OTHER",
  meaning: "what becomes of a parameter that not every upstream takes; once for each of them, and none for as the upstreams have it",
  read: readParameter,
  gather(all) {
    if (!all.includes(null)) return Object.fromEntries(all as [string, unknown][]);
    if (all.length > 1) throw new UsageError("--parameter none goes alone");
    return null;
  },
};

export const UNKNOWN_PARAMETERS: Option = choice(
  "unknown_parameters",
  UNKNOWN_HANDLINGS,
  "what becomes of parameters that neither the format nor a rule knows",
);
