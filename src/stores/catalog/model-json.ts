import type { DeclaredModel } from "../../models/declared-model.ts";
import type { Database } from "../database.ts";
import type { Vault } from "../vault.ts";
import { resealUpstreams } from "./open-upstreams.ts";
import { openHeaders, sealHeaders, type SealedHeaders } from "./sealed-headers.ts";

/** The JSON of a model, with the headers of its routes encrypted. */
export function writeModel(declared: DeclaredModel, vault: Vault): string {
  const purpose = purposeOf(declared.id);
  const routes = declared.routes.map((route) =>
    route.headers ? { ...route, headers: sealHeaders(route.headers, purpose, vault) } : route,
  );
  return JSON.stringify({ ...declared, routes });
}

/** The inverse of `writeModel`. Throws `SecretLost`. */
export function readModel(json: string, vault: Vault): DeclaredModel {
  const stored = JSON.parse(json) as DeclaredModel;
  if (!stored.routes.some(({ headers }) => headers)) return stored;
  const purpose = purposeOf(stored.id);
  const routes = stored.routes.map((route) =>
    route.headers ? { ...route, headers: openHeaders(route.headers as SealedHeaders, purpose, vault) } : route,
  );
  return { ...stored, routes };
}

function purposeOf(modelId: string): string {
  return `headers of the model ${modelId}`;
}

/**
 * Encrypts secrets of upstreams and models again that were encrypted with the old secret, unless another process has changed them
 * meanwhile.
 */
export async function resealCatalog(database: Database, vault: Vault): Promise<void> {
  await resealUpstreams(database, vault);
  const rows = await database.selectFrom("models").select(["id", "declared"]).execute();
  const outdated = rows.filter(({ declared }) =>
    (JSON.parse(declared) as DeclaredModel).routes.some(({ headers = {} }) =>
      Object.values(headers as SealedHeaders).some((each) => vault.isOutdated(each)),
    ),
  );
  await database.write(
    ...outdated.map(({ id, declared }) =>
      database
        .updateTable("models")
        .set({ declared: writeModel(readModel(declared, vault), vault) })
        .where("id", "=", id)
        .where("declared", "=", declared),
    ),
  );
}
