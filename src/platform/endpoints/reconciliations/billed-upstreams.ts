import { ApiError } from "../../../requests/api-error.ts";
import { baseUrlOf, presetAt, presetOf, type PresetId } from "../../../models/presets.ts";
import type { RemoteSettings } from "../../../models/upstream-settings.ts";
import type { Platform } from "../../platform.ts";
import { refuseField } from "../fields/refuse-field.ts";

/** The upstreams of a bill: the named ones, or those at the provider. */
export function billedUpstreams(
  provider: PresetId | undefined,
  named: readonly string[] | undefined,
  platform: Platform,
): readonly string[] {
  if (named) return [...new Set(named)];
  if (provider === undefined) {
    throw new ApiError("missing_required_parameter", "Specify whose bill it is with `provider`, `upstreams`, or both.", {
      param: "provider",
    });
  }
  const ids = remoteUpstreams(platform)
    .filter((upstream) => isAt(upstream, provider))
    .map(({ id }) => id);
  if (ids.length > 0) return ids;
  const message = `provider has no known upstream at ${presetOf(provider).name}: name the billed upstreams in \`upstreams\`.`;
  throw new ApiError("invalid_value", message, { param: "provider" });
}

/** A mistyped id would be compared with nothing. A removed upstream is known by its ledger entries. */
export function refuseUnknown(
  upstreams: readonly string[],
  used: ReadonlySet<string>,
  days: readonly string[],
  { catalog }: Platform,
): void {
  const unknown = upstreams.find((id) => !used.has(id) && !catalog.upstreams().has(id));
  if (unknown === undefined) return;
  refuseField(
    ["upstreams"],
    `names ${JSON.stringify(unknown)}, which is not an upstream and has no ledger entries from ${days[0]} to ${days.at(-1)}`,
  );
}

/** The base URLs by which list prices are looked up. */
export function listAddresses(provider: PresetId | undefined, upstreams: readonly string[], platform: Platform): readonly string[] {
  const published = provider && baseUrlOf(presetOf(provider));
  if (published !== undefined) return [published];
  return remoteUpstreams(platform)
    .filter(({ id }) => upstreams.includes(id))
    .map(({ baseUrl }) => baseUrl);
}

function remoteUpstreams({ catalog }: Platform): RemoteSettings[] {
  return [...catalog.upstreams().values()].filter((upstream) => upstream.dialect !== "echo");
}

function isAt({ preset, baseUrl, dialect }: RemoteSettings, provider: PresetId): boolean {
  return preset === provider || presetAt(baseUrl, dialect) === provider;
}
