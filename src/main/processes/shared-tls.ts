import type { TlsReload } from "../../config/tls/tls-reload.ts";
import type { ConnectedProcess, OwnerService, ProcessService } from "../../lib/ipc/ipc-service.ts";
import { fromTaggedJson, toTaggedJson } from "../../lib/ipc/tagged-json.ts";
import type { TlsPair, TlsPairSource } from "../../lib/net/tls-pair.ts";

const NAME = "tls";
const RENEWED = "renewed";

/**
 * Sends the TLS pair to the gateway processes, when they connect and when it is renewed. Only the owner process reads the files. A process
 * that is started while the files cannot be used gets the same pair as the others.
 */
export function tlsFeed(pairs: TlsReload): OwnerService {
  const followers = new Map<string, ConnectedProcess>();
  pairs.onChange = () => {
    for (const process of followers.values()) process.notify(`${NAME}.${RENEWED}`, toTaggedJson(pairs.current));
  };
  return {
    name: NAME,
    connected(process) {
      followers.set(process.id, process);
      return toTaggedJson(pairs.current);
    },
    disconnected: (processId) => void followers.delete(processId),
  };
}

/** The owner process's TLS pair, in a gateway process that is connected to it. */
export class OwnerTls implements ProcessService, TlsPairSource {
  readonly name = NAME;
  readonly notices = { [RENEWED]: (pair: unknown): void => this.connected(pair) };
  #current: TlsPair | undefined;

  get current(): TlsPair {
    return this.#current!;
  }

  connected(pair: unknown): void {
    this.#current = fromTaggedJson(pair) as TlsPair;
  }
}
