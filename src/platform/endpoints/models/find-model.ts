import type { Actor } from "../../../access/access.ts";
import { isActive } from "../../../access/api-key.ts";
import { isCovered, mayCall, type Model } from "../../../models/catalog.ts";
import type { DeclaredModel } from "../../../models/declared-model.ts";
import type { Platform } from "../../platform.ts";
import { refuseForeign } from "../fields/managed-by.ts";
import { unknownId } from "../fields/unknown-id.ts";
import { findKey } from "../keys/find-key.ts";

/** The widest list that a member can give to a key. */
const EVERY_MODEL = { models: ["*"] };

/** The models that the actor may see: operators all, members those that their account may call. */
export function visibleModels(actor: Actor, platform: Platform): Model[] {
  return [...platform.catalog.snapshot().values()].filter((model) => isVisible(model, actor, platform));
}

/** A model that the actor may see. Another is refused like one that is not there. */
export function findModel(id: string, actor: Actor, platform: Platform): Model {
  const model = platform.catalog.snapshot().get(id);
  if (model && isVisible(model, actor, platform)) return model;
  throw unknownId("unknown_model", "model", id);
}

/** Whether a key of the actor's reach may call a model, as the gateway lists them for it; every model where no key is named. */
export function callableWith(keyId: string | undefined, actor: Actor, platform: Platform): (model: Model) => boolean {
  if (keyId === undefined) return () => true;
  const key = findKey(keyId, actor, platform);
  const account = platform.accounts.find(key.accountId)!;
  const nowMs = platform.nowMs();
  return (model) => isActive(key, nowMs) && mayCall(key, account, model, nowMs);
}

/** A model, and what was declared of it. */
export interface Described {
  readonly model: Model;
  readonly declared: DeclaredModel;
}

/** A model that operators may change here. */
export function findOwnModel(id: string, actor: Actor, platform: Platform): Described {
  const described = findDeclaredModel(id, actor, platform);
  refuseForeign("model", id, platform.catalog.originOfModel(id), platform);
  return described;
}

/** A model whose change may be previewed: also the file's, though that is changed only there. Of one that was found nothing is declared. */
export function findDeclaredModel(id: string, actor: Actor, platform: Platform): Described {
  const model = findModel(id, actor, platform);
  const origin = platform.catalog.originOfModel(id);
  if (origin !== "file") refuseForeign("model", id, origin, platform);
  return { model, declared: platform.catalog.declaredModel(id)! };
}

/** Whether what was told of a model is for the actor: also of one that has ended, which a member's account could call once. */
export function mayHearOf(modelId: string, actor: Actor, platform: Platform): boolean {
  if (actor.role === "operator") return true;
  const model = platform.catalog.snapshot().get(modelId);
  const isOver = model === undefined || model.state.name === "retired";
  return isOver ? isCovered(platform.accounts.find(actor.accountId!)?.models ?? [], modelId) : isVisible(model, actor, platform);
}

function isVisible(model: Model, actor: Actor, { accounts, nowMs }: Platform): boolean {
  if (actor.role === "operator") return true;
  const account = accounts.find(actor.accountId!);
  return account !== undefined && mayCall(EVERY_MODEL, account, model, nowMs());
}
