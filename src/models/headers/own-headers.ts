import type { Fail, Path } from "../../lib/schema/schema.ts";
import { presetOf } from "../presets.ts";
import { toHeaders, type DeclaredHeaders, type SecretHeaders } from "./secret-headers.ts";
import type { Dialect, RemoteSettings } from "../upstream-settings.ts";

/** The headers that requests of each API format have. */
const OF_DIALECT: Readonly<Record<Dialect, readonly string[]>> = {
  openai: [],
  responses: [],
  anthropic: ["x-api-key", "anthropic-version"],
  gemini: ["x-goog-api-key"],
  bedrock: ["x-amz-date", "x-amz-security-token", "x-amz-content-sha256"],
  echo: [],
};

/** Rejects headers that requests to this upstream already have. */
export function refuseOwnHeaders(
  headers: SecretHeaders | undefined,
  { dialect, preset }: Pick<RemoteSettings, "dialect" | "preset">,
  path: Path,
  fail: Fail,
): void {
  const credentialHeader = preset && presetOf(preset).quirks?.credentialHeader;
  const own = [...OF_DIALECT[dialect], ...(credentialHeader === undefined ? [] : [credentialHeader])];
  const taken = own.find((name) => headers && Object.hasOwn(headers, name));
  if (taken !== undefined) fail([...path, taken], "is set by the gateway in requests to this upstream and cannot be added");
}

/** The headers of an upstream; undefined if there are none. */
export function toUpstreamHeaders(
  declared: DeclaredHeaders | undefined,
  upstream: Pick<RemoteSettings, "dialect" | "preset">,
  fail: Fail,
): SecretHeaders | undefined {
  const headers = toHeaders(declared, ["headers"], fail);
  refuseOwnHeaders(headers, upstream, ["headers"], fail);
  return headers;
}
