import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { EmbeddedAuthority } from "./embedded-authority.ts";
import type { ProcessListener } from "./recalls.ts";
import {
  fromSentChange,
  fromSentProgress,
  fromSentPurses,
  toSentJoined,
  toSentPurses,
  toSentShipped,
  type SentJoined,
  type SentPurses,
  type SentShipment,
  type SentShipped,
} from "./shipment-fields.ts";

/** The timeout of the recall of one process. Longer than a request waits for it. */
const RECALL_TIMEOUT_MS = 1000;

/** The owner's side of `RemoteAuthority`: gateway processes lease credit and ship their changes. The connection identifies the process. */
export class LedgerService implements OwnerService {
  readonly name = "ledger";
  readonly #authority: EmbeddedAuthority;
  readonly calls = {
    join: (from: ConnectedProcess): Promise<SentJoined> => this.#authority.join(from.id).then(toSentJoined),
    ship: (from: ConnectedProcess, body: unknown): Promise<SentShipped> => this.#ship(from, body as SentShipment),
    ensureCounted: (_: ConnectedProcess, body: unknown): Promise<void> => this.#authority.ensureCounted(fromSentPurses(body as SentPurses)),
    recall: (from: ConnectedProcess, body: unknown): Promise<void> => this.#authority.recall(from.id, fromSentPurses(body as SentPurses)),
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

  async #ship({ id: instanceId }: ConnectedProcess, [epoch, changes, progress]: SentShipment): Promise<SentShipped> {
    const shipment = { instanceId, epoch, changes: changes.map(fromSentChange), progress: fromSentProgress(progress) };
    return toSentShipped(await this.#authority.ship(shipment));
  }
}

function listenerOver(process: ConnectedProcess): ProcessListener {
  return {
    async recalled(purse) {
      await process.call("ledger.recalled", toSentPurses([purse]), RECALL_TIMEOUT_MS);
    },
    onCreditAvailable: (purse) => process.notify("ledger.creditAvailable", toSentPurses([purse])),
  };
}
