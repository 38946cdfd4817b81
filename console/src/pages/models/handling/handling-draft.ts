import type { CreateModelRequest, Model, UpdateModelRequest } from "../../../../../platform-client/types.ts";
import { editedTimeouts, parseInteger, timeoutsDraftOf, type TimeoutsDraft } from "../../upstreams/handling/timeouts-draft.ts";
import { fallbacksDraftOf, toFallbackModels, type FallbackDraft } from "./fallbacks-draft.ts";
import { editedMirror, mirrorDraftOf, type MirrorDraft } from "./mirror-draft.ts";
import type { UnknownParameters } from "../../upstreams/handling/unknown-parameters-field.tsx";

/** How the requests of a model are handled, in its form. */
export interface HandlingDraft {
  /** Empty means automatic: on if cached input is cheaper. */
  readonly sticky: "" | "on" | "off";
  readonly selection: NonNullable<Model["selection"]>;
  /** In seconds; empty while the response cache is off. */
  readonly cacheTtl: string;
  readonly cachePrice: string;
  readonly mirror: MirrorDraft;
  readonly timeouts: TimeoutsDraft;
  readonly parameters: readonly ParameterDraft[];
  readonly unknownParameters: UnknownParameters;
  readonly fallbacks: readonly FallbackDraft[];
}

/** A parameter rule. */
export interface ParameterDraft {
  readonly key: number;
  readonly name: string;
  readonly handling: ParameterHandling;
  /** The new name, for a rule that renames. */
  readonly rename: string;
}

export type ParameterHandling = "pass" | "drop" | "refuse" | "rename";

type Handling = Pick<
  UpdateModelRequest,
  "sticky" | "selection" | "cache" | "mirror" | "timeouts" | "parameters" | "unknown_parameters" | "fallback_models"
>;

let lastKey = 0;

export function emptyParameter(): ParameterDraft {
  lastKey += 1;
  return { key: lastKey, name: "", handling: "drop", rename: "" };
}

export function handlingDraftOf(model?: Model): HandlingDraft {
  const {
    sticky,
    selection = "weighted",
    cache,
    mirror,
    timeouts,
    parameters = {},
    unknown_parameters: unknown,
    fallback_models: fallbacks,
  } = model ?? {};
  return {
    sticky: sticky == null ? "" : sticky ? "on" : "off",
    selection,
    cacheTtl: String(cache?.ttl_seconds ?? ""),
    cachePrice: String(cache?.price_percent ?? ""),
    mirror: mirrorDraftOf(mirror),
    timeouts: timeoutsDraftOf(timeouts),
    parameters: Object.entries(parameters).map(([name, handling]) => ({
      ...emptyParameter(),
      name,
      ...(typeof handling === "string" ? { handling } : { handling: "rename" as const, rename: handling.rename }),
    })),
    unknownParameters: unknown ?? "",
    fallbacks: fallbacksDraftOf(fallbacks),
  };
}

/** Only the edited fields; a cleared field is null. */
export function editedHandling(draft: HandlingDraft, before: HandlingDraft): Handling {
  const timeouts = editedTimeouts(draft.timeouts, before.timeouts);
  const parameters = toParameters(draft.parameters);
  const fallbacks = toFallbackModels(draft.fallbacks);
  const isCacheEdited = draft.cacheTtl !== before.cacheTtl || draft.cachePrice !== before.cachePrice;
  return {
    ...(draft.sticky !== before.sticky && { sticky: draft.sticky === "" ? null : draft.sticky === "on" }),
    ...(draft.selection !== before.selection && { selection: draft.selection }),
    ...(isCacheEdited && { cache: toCache(draft) }),
    ...editedMirror(draft.mirror, before.mirror),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
    ...(JSON.stringify(parameters) !== JSON.stringify(toParameters(before.parameters)) && { parameters }),
    ...(draft.unknownParameters !== before.unknownParameters && { unknown_parameters: draft.unknownParameters || null }),
    ...(JSON.stringify(fallbacks) !== JSON.stringify(toFallbackModels(before.fallbacks)) && { fallback_models: fallbacks }),
  };
}

/** A price without a TTL is sent too, so that its missing TTL is reported. */
function toCache({ cacheTtl, cachePrice }: HandlingDraft): NonNullable<CreateModelRequest["cache"]> | null {
  if (cacheTtl.trim() === "" && cachePrice.trim() === "") return null;
  return { ttl_seconds: parseInteger(cacheTtl), ...(cachePrice.trim() !== "" && { price_percent: parseInteger(cachePrice) }) };
}

/** By name. Rows without a name are skipped. */
function toParameters(rules: readonly ParameterDraft[]): NonNullable<Handling["parameters"]> {
  const named = rules.filter(({ name }) => name.trim() !== "");
  return Object.fromEntries(
    named.map(({ name, handling, rename }) => [name.trim(), handling === "rename" ? { rename: rename.trim() } : handling]),
  );
}
