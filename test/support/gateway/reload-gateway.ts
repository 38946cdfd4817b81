import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningGateway } from "./start-gateway.ts";

interface Target {
  readonly kind: string;
  readonly id: string;
}

/** The reply of POST /api/config/reload. */
export interface ReloadReply {
  readonly file: string;
  readonly upstreams: number;
  readonly models: number;
  readonly price_lists: number;
  readonly accounts: number;
  readonly changed: { readonly added: readonly Target[]; readonly changed: readonly Target[]; readonly removed: readonly Target[] };
  readonly warnings: readonly string[];
}

/** Writes another config file for a running gateway. */
export function replace(gateway: RunningGateway, yaml: string): void {
  writeFileSync(join(gateway.folder, "tollgate.yaml"), yaml);
}

/** Reloads the file now, whether or not the gateway has noticed it. */
export function requestReload(gateway: RunningGateway): Promise<ReloadReply> {
  return gateway.platform<ReloadReply>("POST", "/api/config/reload");
}

/** The audit records of reloads, newest first. */
export async function reloadsOf(gateway: RunningGateway): Promise<readonly object[]> {
  const { data } = await gateway.platform<{ data: object[] }>("GET", "/api/audit-log?action=config.reload&limit=100");
  return data;
}
