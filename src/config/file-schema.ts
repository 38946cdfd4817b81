import type { Infer } from "../lib/schema/infer.ts";
import type { Path, Schema } from "../lib/schema/schema.ts";
import type { DeclaredHeaders } from "../models/headers/secret-headers.ts";
import { secretFieldsOf } from "../models/identities/declared-identity.ts";
import { declaredPriceListSchema } from "../models/prices/declared-price-list.ts";
import { declaredAccountSchema } from "../access/account.ts";
import { OPTIONAL_ENDPOINTS } from "../money/attribution.ts";
import { declaredModelSchema } from "../models/declared-model.ts";
import { declaredUpstreamSchema, type DeclaredUpstream } from "../models/declared-upstream.ts";

const COMPATIBILITIES = ["litellm"] as const;

/** Another gateway whose clients need no change except the base URL. */
export type Compatibility = (typeof COMPATIBILITIES)[number];

/** The schema of tollgate.yaml. docs/configuration.md explains every field, and a test keeps the two in sync. */
export const configFileSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    compatibility: { type: "string", enum: COMPATIBILITIES, description: "Another gateway whose URLs and headers are accepted, too." },
    endpoints: {
      type: "array",
      items: { type: "string", enum: OPTIONAL_ENDPOINTS },
      description: "Endpoints in other formats than chat completions that the gateway serves.",
    },
    upstreams: { type: "array", items: declaredUpstreamSchema },
    models: { type: "array", items: declaredModelSchema },
    price_lists: { type: "array", items: declaredPriceListSchema },
    accounts: { type: "array", items: declaredAccountSchema },
  },
} as const satisfies Schema;

/** The values of a config file. If the file has no `upstreams`, the list is empty. */
export type DeclaredFile = Infer<typeof configFileSchema> & { readonly upstreams: readonly DeclaredUpstream[] };

/** All secrets of a file, with their paths. */
export function credentialsIn({ upstreams, models = [] }: DeclaredFile): [Path, string][] {
  const ofRoutes = models.flatMap(({ routes }, at) =>
    routes.flatMap(({ headers }, routeAt) => headersIn(headers, ["models", at, "routes", routeAt])),
  );
  return [...credentialsOfUpstreams(upstreams), ...ofRoutes];
}

function headersIn(headers: DeclaredHeaders | undefined, path: Path): [Path, string][] {
  return Object.entries(headers ?? {}).map(([name, value]) => [[...path, "headers", name], value as string]);
}

function credentialsOfUpstreams(upstreams: DeclaredFile["upstreams"]): [Path, string][] {
  return upstreams.flatMap(({ credential, credentials = [], headers, ...rest }, at): [Path, string][] => [
    ...(credential === undefined ? [] : [[["upstreams", at, "credential"], credential] as [Path, string]]),
    ...credentials.map((each, which): [Path, string] => [["upstreams", at, "credentials", which], each]),
    ...secretFieldsOf(rest).map(([path, secret]): [Path, string] => [["upstreams", at, ...path], secret]),
    ...headersIn(headers, ["upstreams", at]),
  ]);
}
