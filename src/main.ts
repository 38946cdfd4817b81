import { join } from "node:path";
import type { Config } from "./config.ts";
import { gatewayEndpoints } from "./gateway/app.ts";
import type { Log } from "./http/log.ts";
import { serve } from "./http/serve.ts";
import { platformEndpoints } from "./platform/app.ts";
import { openStores } from "./stores/open-stores.ts";
import { keepSecret } from "./stores/secret-file.ts";
import { discover, type Discovery } from "./upstreams/discover.ts";
import { createUpstreams } from "./upstreams/registry.ts";
import { hashApiKey, makeApiKey, type KeyRecord } from "./vocabulary/api-key.ts";
import type { Catalog } from "./vocabulary/catalog.ts";
import type { Secret } from "./vocabulary/secret.ts";

/** A running Tollgate. */
export interface Tollgate {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  /** The key made on the very first start of a gateway that nobody has configured. */
  readonly firstKey: Secret | undefined;
  /** Resolves once the upstreams found on this machine and in the environment have been asked for their models. */
  readonly discovered: Promise<readonly Discovery[]>;
  readonly pendingRequests: number;
  /** Takes no more requests, and resolves when those under way have been answered. */
  drain(): Promise<void>;
  /** Ends everything now. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 15_000;

/** Config → stores → listeners. */
export async function start(config: Config, log: Log): Promise<Tollgate> {
  const stores = await openStores(config.dataFolder, config.catalog);
  const hashSecret = keepSecret(join(config.dataFolder, "hash-secret"));
  const operatorToken = config.operatorToken ?? keepSecret(join(config.dataFolder, "operator-token"), "tollgate-operator-");
  const nowMs = Date.now;
  let upstreams = createUpstreams(config.upstreams);
  let isReady = true;

  const firstKey = config.file === undefined && (await stores.keys.list()).length === 0 ? makeApiKey() : undefined;
  if (firstKey) await stores.keys.add(firstKeyRecord(firstKey, hashSecret, nowMs()));

  const { keys, catalog } = stores;
  const gateway = serve({
    name: "gateway",
    ...config.gateway,
    endpoints: gatewayEndpoints({
      keys,
      hashSecret,
      catalog,
      upstreamOf: (id) => upstreams.get(id),
      maxBodyBytes: config.maxBodyBytes,
      keepAliveMs: KEEP_ALIVE_MS,
      isReady: () => isReady,
      nowMs,
    }),
    log,
    openToBrowsers: true,
  });
  const platform = serve({
    name: "platform",
    ...config.platform,
    endpoints: platformEndpoints({ keys, catalog, hashSecret, operatorToken, nowMs }),
    log,
    openToBrowsers: false,
  });

  const discovered = discover(config.discover).then((found) => {
    upstreams = createUpstreams([...config.upstreams, ...found.map((each) => each.upstream)]);
    catalog.replace(withDiscovered(catalog.snapshot(), found));
    return found;
  });

  return {
    gatewayUrl: gateway.url,
    platformUrl: platform.url,
    firstKey: firstKey?.key,
    discovered,
    get pendingRequests() {
      return gateway.pendingRequests + platform.pendingRequests;
    },
    async drain() {
      isReady = false;
      await Promise.all([gateway.drain(), platform.drain()]);
    },
    async close() {
      await Promise.all([gateway.close(), platform.close()]);
      await stores.close();
      log.flush();
    },
  };
}

/** Where two offer a model of the same name, the first one found keeps it. */
function withDiscovered(catalog: Catalog, found: readonly Discovery[]): Catalog {
  const models = found.flatMap((each) => each.models).map((model) => [model.id, model] as const);
  return new Map([...models.toReversed(), ...catalog]);
}

function firstKeyRecord({ id, key }: { id: string; key: Secret }, hashSecret: Secret, nowMs: number): KeyRecord {
  return {
    id,
    name: "first key",
    hash: hashApiKey(key.reveal(), hashSecret),
    models: ["*"],
    createdAtMs: nowMs,
    expiresAtMs: null,
    revokedAtMs: null,
  };
}
