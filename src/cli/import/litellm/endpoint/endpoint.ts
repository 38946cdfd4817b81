import type { Preset } from "../../../../models/preset.ts";
import type { PresetId } from "../../../../models/presets.ts";
import type { ConvertedBaseUrl } from "./base-url.ts";
import type { ConvertedIdentity } from "./convert-identity.ts";

/** The endpoint of a deployment, in a supported API format. */
export interface Endpoint extends ConvertedBaseUrl {
  readonly dialect: Preset["dialect"];
  /** The preset, if the base URL does not imply it. */
  readonly preset?: PresetId | undefined;
  /** The version of the API, if the preset has versions. */
  readonly apiVersion?: string | undefined;
  /** The suggested ID of its upstream. */
  readonly name: string;
  readonly model: string;
  /** The variable of the secret, if the deployment has none. */
  readonly secretVariable?: string | undefined;
  /** Whether somebody charges for calls, whatever the address is: a cloud, or the providers behind another proxy. */
  readonly isPaid?: boolean;
  /** The identity, instead of a secret. */
  readonly identity?: ConvertedIdentity | undefined;
  readonly caveats: readonly string[];
}
