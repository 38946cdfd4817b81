import type { Endpoint } from "../../http/endpoint.ts";
import type { Platform } from "../platform.ts";
import { findAccount, viewAccount } from "./account-view.ts";
import { capsSchema, changeCaps, changeLimits, limitsSchema, type WireCaps, type WireLimits } from "./limits-and-caps.ts";
import { nameSchema } from "./name-schema.ts";
import { readChanges } from "./read-changes.ts";

const FIELDS = { name: nameSchema, limits: limitsSchema, caps: capsSchema };

interface AccountChanges {
  readonly name?: string;
  readonly limits?: WireLimits;
  readonly caps?: WireCaps;
}

/** PATCH /api/accounts/:id: changes what is given, and nothing else. In force with the next request. */
export function updateAccount(platform: Platform): Endpoint {
  return {
    method: "PATCH",
    path: "/api/accounts/:id",
    async handle({ request }) {
      const { id } = request.params as { id: string };
      findAccount(id, platform);
      const { name, limits, caps } = await readChanges<AccountChanges>(request, FIELDS);
      // Looked up again: the body may have taken its time.
      const account = findAccount(id, platform);
      const changed = {
        ...account,
        name: name ?? account.name,
        limits: changeLimits(account.limits, limits),
        caps: changeCaps(account.caps, caps),
      };
      await platform.accounts.put(changed);
      return Response.json(viewAccount(changed, platform));
    },
  };
}
