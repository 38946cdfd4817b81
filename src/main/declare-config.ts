import type { Config } from "../config.ts";
import { Declarations } from "../config/declarations.ts";
import { HotReload, recordOf } from "../config/hot-reload.ts";
import { SharedDeclarations } from "../config/shared-declarations.ts";
import type { Log } from "../lib/log/log.ts";
import type { Secret } from "../lib/secret/secret.ts";
import type { Stores } from "../stores/stores.ts";
import { monotonicMs } from "./services.ts";

/** The declared configuration, which a reload can change. */
interface DeclaredConfig {
  readonly declarations: Declarations;
  /** Undefined without a config file. */
  readonly reload: HotReload | undefined;
  readonly configDigest: () => string | undefined;
  close(): Promise<void>;
}

/** Declares the config file, or the environment. Processes that share a database serve one file. */
export async function declareConfig(
  { file, declared }: Config,
  stores: Stores,
  hashSecret: Secret,
  log: Log,
  nowMs: () => number,
): Promise<DeclaredConfig> {
  const declarations = new Declarations(stores, hashSecret, nowMs);
  const { declaredFile: store, instances } = stores;
  const shared = store && instances && new SharedDeclarations({ declarations, store, instances, hashSecret, log, monotonicMs });
  const record = recordOf("config.load", file ?? "", nowMs);
  if (file === undefined) await declarations.declareEnvironment(declared);
  if (shared) await shared.start(file === undefined ? undefined : declared, record);
  else if (file !== undefined) await declarations.declareFile(declared, record);
  const reload = file === undefined ? undefined : new HotReload(file, shared ?? declarations, log, nowMs);
  return {
    declarations,
    reload,
    configDigest: () => shared?.ownDigest,
    async close() {
      shared?.close();
      await reload?.close();
    },
  };
}
