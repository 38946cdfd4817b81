import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import { toTaggedJson } from "../../../lib/ipc/tagged-json.ts";
import type { Purse } from "../../../money/purse.ts";
import type { EmbeddedAuthority } from "./embedded-authority.ts";
import type { ProcessListener } from "./recalls.ts";
import { fromSentShipment, type SentShipment } from "./shipment-fields.ts";

/** The timeout of the recall of one process. Longer than a request waits for it. */
const RECALL_TIMEOUT_MS = 1000;

/** The owner's side of `RemoteAuthority`: gateway processes lease credit and ship their changes. The connection identifies the process. */
export class LedgerService implements OwnerService {
  readonly name = "ledger";
  readonly #authority: EmbeddedAuthority;
  readonly calls = {
    join: async (from: ConnectedProcess): Promise<unknown> => toTaggedJson(await this.#authority.join(from.id)),
    ship: async (from: ConnectedProcess, body: unknown): Promise<unknown> =>
      toTaggedJson(await this.#authority.ship(fromSentShipment(from.id, body as SentShipment))),
    ensureCounted: (_: ConnectedProcess, body: unknown): Promise<void> => this.#authority.ensureCounted(body as readonly Purse[]),
    recall: (from: ConnectedProcess, body: unknown): Promise<void> => this.#authority.recall(from.id, body as readonly Purse[]),
    findReply: (_: ConnectedProcess, body: unknown): unknown => this.#authority.findReply(...(body as [scope: string, nowMs: number])),
  };

  constructor(authority: EmbeddedAuthority) {
    this.#authority = authority;
  }

  connected(process: ConnectedProcess): void {
    this.#authority.connect(process.id, listenerOver(process));
  }

  disconnected(processId: string): void {
    this.#authority.lose(processId);
  }
}

function listenerOver(process: ConnectedProcess): ProcessListener {
  return {
    async recalled(purse) {
      await process.call("ledger.recalled", [purse], RECALL_TIMEOUT_MS);
    },
    onCreditAvailable: (purse) => process.notify("ledger.creditAvailable", [purse]),
  };
}
