import { join } from "node:path";
import { ConfigError } from "./config-error.ts";
import type { Config } from "./config.ts";
import { gatewayEndpoints } from "./gateway/app.ts";
import type { Log } from "./http/log.ts";
import { serve } from "./http/serve.ts";
import { platformEndpoints } from "./platform/app.ts";
import { openStores } from "./stores/open-stores.ts";
import type { KeyStore } from "./stores/keys/key-store.ts";
import { keepSecret, readSecret } from "./stores/secret-file.ts";
import { discoverModels, type Discovery } from "./upstreams/openai/discover-models.ts";
import { createUpstreams } from "./upstreams/registry.ts";
import { issueKey } from "./vocabulary/api-key.ts";
import type { Catalog } from "./vocabulary/catalog.ts";
import type { Secret } from "./vocabulary/secret.ts";

/** A running Tollgate. */
export interface Tollgate {
  readonly gatewayUrl: string;
  readonly platformUrl: string;
  /** What the upstreams of the environment and of this machine said when they were asked for their models. */
  readonly discovered: Promise<readonly Discovery[]>;
  countKeys(): Promise<number>;
  /** Makes the key that a gateway which nobody has configured shows on its very first start. */
  makeFirstKey(): Promise<Secret>;
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
  const hashSecret = await keepHashSecret(config.dataFolder, stores.keys);
  const operatorToken = config.operatorToken ?? keepSecret(join(config.dataFolder, "operator-token"), "tollgate-operator-");
  const nowMs = Date.now;
  let upstreams = createUpstreams(config.upstreams);

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

  const discovered = discoverModels(config.discover).then((discoveries) => {
    upstreams = createUpstreams([...config.upstreams, ...discoveries.map((each) => each.upstream)]);
    catalog.replace(withDiscovered(catalog.snapshot(), discoveries));
    return discoveries;
  });

  return {
    gatewayUrl: gateway.url,
    platformUrl: platform.url,
    discovered,
    countKeys: async () => (await keys.list()).length,
    async makeFirstKey() {
      const { key, record } = issueKey({ name: "first key", models: ["*"], expiresAtMs: null }, hashSecret, nowMs());
      await keys.add(record);
      return key;
    },
    get pendingRequests() {
      return gateway.pendingRequests + platform.pendingRequests;
    },
    async drain() {
      await Promise.all([gateway.drain(), platform.drain()]);
    },
    async close() {
      await Promise.all([gateway.close(), platform.close()]);
      await stores.close();
      log.flush();
    },
  };
}

/** Every stored key is hashed with it, so a new one must not quietly take its place. */
async function keepHashSecret(dataFolder: string, keys: KeyStore): Promise<Secret> {
  const path = join(dataFolder, "hash-secret");
  const count = (await keys.list()).length;
  if (count > 0 && !readSecret(path)) {
    throw new ConfigError(`${path} is gone, and without it none of the ${count} keys works. Restore it, or start with another folder.`);
  }
  return keepSecret(path);
}

/** Where two offer a model of the same name, the first one keeps it. */
function withDiscovered(catalog: Catalog, discoveries: readonly Discovery[]): Catalog {
  const all = new Map(catalog);
  for (const model of discoveries.flatMap((each) => each.models)) if (!all.has(model.id)) all.set(model.id, model);
  return all;
}
