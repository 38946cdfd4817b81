import { revealHeaders } from "../models/headers/secret-headers.ts";
import type { RemoteSettings } from "../models/upstream-settings.ts";

/** The headers that an operator adds to every request to an upstream; undefined if there are none. */
export function addedHeaders({ headers, organization, project }: RemoteSettings): Readonly<Record<string, string>> | undefined {
  if (!headers && organization === undefined && project === undefined) return undefined;
  return {
    ...(organization !== undefined && { "openai-organization": organization }),
    ...(project !== undefined && { "openai-project": project }),
    ...revealHeaders(headers),
  };
}
