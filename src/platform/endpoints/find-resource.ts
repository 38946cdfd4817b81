import { type Actor, mayAccess } from "../../access/access.ts";
import { isActive, type KeyRecord } from "../../access/api-key.ts";
import { isCovered, isOpenTo, mayCall, type Catalog, type Model } from "../../models/catalog.ts";
import type { DeclaredModel } from "../../models/declared-model.ts";
import type { Schema } from "../../lib/schema/schema.ts";
import { ApiError } from "../../requests/api-error.ts";
import type { Platform } from "../platform.ts";
import { refuseManagedElsewhere, unknownId } from "./fields.ts";
import { type Account, DEFAULT_ACCOUNT } from "../../access/account.ts";

/** The widest model list that a member can give to a key. */
const EVERY_MODEL = { models: ["*"] };

/**
 * The models that the actor may see: for operators, all; for members, the models that their account may call, with the account's prices.
 */
export function visibleModels(actor: Actor, platform: Platform): Model[] {
  return [...catalogFor(actor, platform).values()].filter((model) => isVisible(model, actor, platform));
}

export const unknownModelsSchema = {
  type: "array",
  items: { type: "string" },
  description: "Entries of `models` that match no model, which may be misspelt or be created later. Only in the reply that created it.",
} as const satisfies Schema;

/** Entries of a list of models that match no model that the actor may see. */
export function unknownModelsIn(models: readonly string[], actor: Actor, platform: Platform): string[] {
  const visible = visibleModels(actor, platform);
  return models.filter((each) => each !== "*" && !visible.some(({ id }) => isCovered([each], id)));
}

/** A model that the actor may see. Any other is reported as not found. */
export function findModel(id: string, actor: Actor, platform: Platform): Model {
  const model = catalogFor(actor, platform).get(id);
  if (model && isVisible(model, actor, platform)) return model;
  throw unknownId("unknown_model", "model", id);
}

/**
 * Whether a key that the actor may see can call a model, as in the gateway's model list for that key. Without a key, true for every model.
 */
export function callableWith(keyId: string | undefined, actor: Actor, platform: Platform): (model: Model) => boolean {
  if (keyId === undefined) return () => true;
  const key = findKey(keyId, actor, platform);
  const account = platform.accounts.find(key.accountId)!;
  const nowMs = platform.nowMs();
  const isStopped = !isActive(key, nowMs) || account.archivedAtMs !== null;
  return (model) => !isStopped && mayCall(key, account, model, nowMs);
}

/** A model and its declaration. */
interface ModelWithDeclaration {
  readonly model: Model;
  readonly declared: DeclaredModel;
}

/** A model that operators may change through the API. */
export function findOwnModel(id: string, actor: Actor, platform: Platform): ModelWithDeclaration {
  const described = findDeclaredModel(id, actor, platform);
  refuseManagedElsewhere("model", id, platform.catalog.originOfModel(id), platform);
  return described;
}

/**
 * A model whose change can be previewed, including models of the config file, which are changed only there. Discovered models have no
 * declaration.
 */
export function findDeclaredModel(id: string, actor: Actor, platform: Platform): ModelWithDeclaration {
  const model = findModel(id, actor, platform);
  if (model.expandedFrom !== undefined) throw isExpanded(model);
  const origin = platform.catalog.originOfModel(id);
  if (origin !== "file") refuseManagedElsewhere("model", id, origin, platform);
  return { model, declared: platform.catalog.declaredModel(id)! };
}

function isExpanded({ id, expandedFrom }: Model): ApiError {
  const message = `The model ${id} is one of the models of the wildcard ${expandedFrom}. Change ${expandedFrom}, or create a model with this id to replace it.`;
  return new ApiError("managed_elsewhere", message);
}

/**
 * Whether the actor may see the announcements of a model, including a retired model that a member's account could call before. For a
 * removed model, it is unknown to which accounts it was restricted, so members do not see its announcements.
 */
export function maySeeAnnouncements(modelId: string, actor: Actor, platform: Platform): boolean {
  if (actor.role === "operator") return true;
  const model = catalogFor(actor, platform).get(modelId);
  if (model?.state.name !== "retired") return model !== undefined && isVisible(model, actor, platform);
  const account = platform.accounts.find(actor.accountId!);
  return account !== undefined && isOpenTo(account.id, model) && isCovered(account.models, modelId);
}

function catalogFor({ role, accountId }: Actor, { accounts, catalog }: Platform): Catalog {
  return catalog.snapshot(role === "operator" ? null : accounts.find(accountId!)?.priceList);
}

function isVisible(model: Model, actor: Actor, { accounts, nowMs }: Platform): boolean {
  if (actor.role === "operator") return true;
  const account = accounts.find(actor.accountId!);
  return account !== undefined && mayCall(EVERY_MODEL, account, model, nowMs());
}

/** A key that the actor may see. */
export function findKey(id: string, actor: Actor, platform: Platform): KeyRecord {
  return existingKey(platform.keys.find(id), id, actor);
}

/** The key, or an error if the search by ID found none. A key of another account is reported as not found. */
export function existingKey(key: KeyRecord | undefined, id: string, actor: Actor): KeyRecord {
  if (key && mayAccess(actor, key.accountId)) return key;
  throw unknownId("unknown_key", "key", id);
}

/** An account that the actor may see. */
export function findAccount(id: string, actor: Actor, platform: Platform): Account {
  return existingAccount(platform.accounts.find(id), id, actor);
}

/** The account, or an error if the search by ID found none. An account that the actor may not see is reported as not found. */
export function existingAccount(account: Account | undefined, id: string, actor: Actor): Account {
  if (account && mayAccess(actor, id)) return account;
  throw unknownId("unknown_account", "account", id);
}

/** The same for an account that a field of the request names as the new owner of a key or a member. */
export function requireAccount(id: string, actor: Actor, platform: Platform): Account {
  const account = platform.accounts.find(id);
  if (account && mayAccess(actor, id)) return refuseArchived(account);
  throw new ApiError("invalid_value", `account must be the id of an account; ${JSON.stringify(id)} does not exist.`, {
    param: "account",
  });
}

/** Rejects a change that an archived account cannot have. */
export function refuseArchived(account: Account): Account {
  if (account.archivedAtMs === null) return account;
  throw new ApiError("state_conflict", `The account ${account.id} is archived. Restore it first.`);
}

/** Rejects archiving the default account: keys without an account belong to it. */
export function refuseDefault({ id, archivedAtMs }: Account): void {
  if (id !== DEFAULT_ACCOUNT || archivedAtMs === null) return;
  throw new ApiError("state_conflict", `The account ${DEFAULT_ACCOUNT} cannot be archived: keys without an account belong to it.`);
}
