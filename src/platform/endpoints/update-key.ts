import type { Endpoint } from "../../http/endpoint.ts";
import type { Platform } from "../platform.ts";
import { modelsSchema } from "./create-key.ts";
import { viewKey } from "./key-view.ts";
import { capsSchema, changeCaps, changeLimits, limitsSchema, type WireCaps, type WireLimits } from "./limits-and-caps.ts";
import { nameSchema } from "./name-schema.ts";
import { readChanges } from "./read-changes.ts";
import { findKey } from "./show-key.ts";

const FIELDS = { name: nameSchema, models: modelsSchema, limits: limitsSchema, caps: capsSchema };

interface KeyChanges {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly limits?: WireLimits;
  readonly caps?: WireCaps;
}

/** PATCH /api/keys/:id: changes what is given, and nothing else. In force with the next request. */
export function updateKey(platform: Platform): Endpoint {
  return {
    method: "PATCH",
    path: "/api/keys/:id",
    async handle({ request }) {
      const { id } = request.params as { id: string };
      findKey(id, platform);
      const { name, models, limits, caps } = await readChanges<KeyChanges>(request, FIELDS);
      // Looked up again: the body may have taken its time, and the key may have been revoked meanwhile.
      const key = findKey(id, platform);
      const changed = {
        ...key,
        name: name ?? key.name,
        models: models ?? key.models,
        limits: changeLimits(key.limits, limits),
        caps: changeCaps(key.caps, caps),
      };
      await platform.keys.update(changed);
      return Response.json(viewKey(changed, platform));
    },
  };
}
