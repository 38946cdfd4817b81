import type { Fail } from "../../lib/schema/schema.ts";
import type { Model, Route } from "../../models/catalog.ts";
import { parameterRules } from "../../models/parameters/dialect-parameters.ts";
import { refuseOwnHeaders } from "../../models/headers/own-headers.ts";
import type { UpstreamSettings } from "../../models/upstream-settings.ts";
import { ApiError } from "../api-error.ts";
import { mapParameters } from "../map-parameters.ts";

type Policy = Pick<Model, "parameters" | "unknownParameters">;

/** Rejects settings of routes that their upstreams do not support. */
export function checkRoutes(
  model: Policy & Pick<Model, "routes">,
  findUpstream: (id: string) => UpstreamSettings | undefined,
  fail: Fail,
): void {
  model.routes.forEach((route, at) => {
    const settings = findUpstream(route.upstream);
    const failInRoute: Fail = (path, message) => fail(["routes", at, ...path], message);
    if (settings && route.defaults) checkDefaults(route, model, settings, failInRoute);
    if (settings && route.headers) checkHeaders(route, settings, failInRoute);
  });
}

/** Rejects a default that the upstream's rules reject: every request without the parameter would fail. */
function checkDefaults({ upstreamModel, defaults }: Route, policy: Policy, settings: UpstreamSettings, fail: Fail): void {
  const unknown = policy.unknownParameters ?? settings.unknownParameters;
  try {
    mapParameters(defaults!, parameterRules(settings, upstreamModel), policy.parameters, unknown);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    fail(["defaults", error.param ?? ""], `would be rejected in every request: ${error.message}`);
  }
}

function checkHeaders({ headers }: Route, settings: UpstreamSettings, fail: Fail): void {
  if (settings.dialect === "echo") fail(["headers"], "cannot be combined with the dialect echo, which sends no requests");
  else refuseOwnHeaders(headers, settings, ["headers"], fail);
}
