import { problemOfRemovals, problemOfNewState, type StoredState } from "./check-changes.ts";
import type { Environment } from "./config-error.ts";
import { credentialsIn, type Compatibility } from "./file-schema.ts";
import { findDefaultPrices } from "../models/prices/find-default-prices.ts";
import type { Catalog, ModelKind } from "../models/catalog.ts";
import { toTerms, type AccountTerms } from "../access/account.ts";
import { checkAccounts, checkWildcard, toModel, toState, type DeclaredModel, type DeclaredState } from "../models/declared-model.ts";
import { toPriceList } from "../models/prices/declared-price-list.ts";
import type { PriceList } from "../models/prices/price-list.ts";
import { declaredAddress, toUpstream } from "../models/declared-upstream.ts";
import type { OptionalEndpoint } from "../money/attribution.ts";
import type { Price } from "../money/price.ts";
import { Secret } from "../lib/secret/secret.ts";
import { checkRoutes } from "../requests/routes/check-routes.ts";
import { redactHeaders } from "../models/headers/route-headers.ts";
import type { UpstreamSettings } from "../models/upstream-settings.ts";
import { ConfigFile } from "./config-yaml.ts";

/** A config file as it was read. */
export interface FileCopy {
  readonly path: string;
  readonly createdSeconds: number;
  /** The declarations of the file, with its variables expanded, as JSON. */
  readonly declarations: Secret;
}

/** The declarations of a config file. */
export interface ConfigDeclarations {
  /** It applies from the start of a process. */
  readonly compatibility?: Compatibility | undefined;
  readonly endpoints?: readonly OptionalEndpoint[] | undefined;
  readonly upstreams: readonly UpstreamSettings[];
  readonly catalog: Catalog;
  /** The copy of the file, for other processes. Undefined if these declarations are not from a file. */
  readonly copy?: FileCopy;
  /** The same models, as written in the file. */
  readonly declaredModels: ReadonlyMap<string, DeclaredModel>;
  readonly priceLists: readonly PriceList[];
  readonly accounts: readonly AccountTerms[];
  /** Variables that the file refers to but that are not set, if missing variables are accepted. */
  readonly unset?: readonly string[];
  /** Throws, with the position in the file, if a declaration conflicts with the stored state. */
  checkAgainst(stored: StoredState): void;
}

/**
 * Parses a config file. `createdSeconds` is the creation time of its models: the file's modification time. A world-readable file must not
 * contain credentials. Without an environment, the text is a copy with expanded variables: errors name the field, and show no value. Throws
 * all errors at once: syntax and schema errors, or if there are none, errors of content. `mayMiss`: variables may be missing, and values
 * that depend on them are not checked.
 */
export function parseConfigFile(
  text: string,
  fileName: string,
  env: Environment | undefined,
  createdSeconds: number,
  { isOpenToAll = false, mayMiss = false }: { isOpenToAll?: boolean; mayMiss?: boolean } = {},
): ConfigDeclarations {
  const file = new ConfigFile(text, fileName, env === undefined, mayMiss);
  const declared = file.read(env);
  if (isOpenToAll) file.refuseWrittenCredentials(declared);
  file.refuseRepeatedIds("upstreams", declared.upstreams);
  file.refuseRepeatedIds("models", declared.models ?? []);
  file.refuseRepeatedIds("price_lists", declared.price_lists ?? []);
  file.refuseRepeatedIds("accounts", declared.accounts ?? []);
  file.checkReferences(declared);
  const { upstreams, models = [], price_lists: priceLists = [], accounts = [] } = declared;
  const upstreamsById = new Map(upstreams.map((each) => [each.id, each]));
  const defaultPrices = (route: { upstream: string; model: string }, kind: ModelKind): readonly Price[] => {
    const upstream = upstreamsById.get(route.upstream);
    const baseUrl = upstream && declaredAddress(upstream);
    return baseUrl === undefined ? [] : findDefaultPrices(baseUrl, route.model, kind);
  };
  const settings = new Map(file.convert("upstreams", upstreams, (upstream, fail) => [upstream.id, toUpstream(upstream, fail)] as const));
  const catalog = file.convert("models", models, (declaredModel, fail) => {
    checkWildcard(declaredModel, fail);
    const model = toModel(declaredModel, { createdSeconds, state: toState(declaredModel, fail), defaultPrices }, fail);
    checkRoutes(model, (id) => settings.get(id), fail);
    return [model.id, model] as const;
  });
  const lists = file.convert("price_lists", priceLists, toPriceList);
  const terms = file.convert("accounts", accounts, toTerms);
  file.throwProblems();
  return {
    compatibility: declared.compatibility,
    endpoints: declared.endpoints,
    copy: { path: fileName, createdSeconds, declarations: new Secret(JSON.stringify(declared)) },
    unset: file.unset,
    upstreams: [...settings.values()],
    catalog: new Map(catalog),
    declaredModels: new Map(
      models.map(({ state: _state, shutdown_date: _day, replacement: _other, ...model }) => [model.id, redactHeaders(model)]),
    ),
    priceLists: lists,
    accounts: terms,
    checkAgainst(stored) {
      for (const [path, credential] of credentialsIn(declared)) {
        if (stored.isOwnKey(credential)) file.fail(path, "is a key of Tollgate's own, not a credential of the upstream");
      }
      catalog.forEach(([, model], at) => {
        const found = problemOfNewState(model, stored);
        if (found) file.fail(["models", at, found.field], found.problem);
      });
      checkModelAccounts(models, stored, file);
      accounts.forEach(({ price_list: list }, at) => {
        if (typeof list !== "string" || stored.priceLists.has(list)) return;
        file.fail(["accounts", at, "price_list"], `names ${JSON.stringify(list)}, and there is no such price list`);
      });
      accounts.forEach(({ id, attribution }, at) => {
        const keyId = attribution === "off" ? stored.keyWithParts(id) : undefined;
        const problem = `cannot be off: the key ${keyId} has limits or spend caps per end user or tag, clear them first`;
        if (keyId !== undefined) file.fail(["accounts", at, "attribution"], problem);
      });
      const gone = problemOfRemovals(stored);
      if (gone !== undefined) file.failWithoutPlace(gone);
    },
  };
}

/** A retired model is not checked: nobody can call it, and its accounts may have been removed. */
function checkModelAccounts(models: readonly (DeclaredModel & DeclaredState)[], { accountIds }: StoredState, file: ConfigFile): void {
  models.forEach((model, at) => {
    if (model.state === "retired") return;
    checkAccounts(
      model,
      (id) => accountIds.has(id),
      (path, message) => file.fail(["models", at, ...path], message),
    );
  });
}
