import { ConnectedProcesses } from "../../../lib/ipc/connected-processes.ts";
import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { ReceivedBodies } from "../queued-request.ts";
import type { ReceivingRequestLogStore, RequestLogState, RequestLogStore } from "../request-log-store.ts";
import { fromSent, REQUESTS_SERVICE, type SentRequest } from "./sent-request.ts";

/** The owner's request log, including the requests that gateway processes send. Before a read, they send their pending requests. */
export class SharedRequestLogStore implements ReceivingRequestLogStore, OwnerService {
  readonly name = REQUESTS_SERVICE;
  readonly calls = {
    add: (_: ConnectedProcess, records: unknown) => this.receive((records as readonly SentRequest[]).map(fromSent)),
    addBodies: (_: ConnectedProcess, received: unknown) => this.receiveBodies(received as readonly ReceivedBodies[]),
    addMirrors: (_: ConnectedProcess, results: unknown) => this.receiveMirrors(results as readonly MirrorResult[]),
  };
  readonly list: RequestLogStore["list"] = async (...query) => (await this.#collected()).list(...query);
  readonly listSorted: RequestLogStore["listSorted"] = async (...query) => (await this.#collected()).listSorted(...query);
  readonly count: RequestLogStore["count"] = async (...query) => (await this.#collected()).count(...query);
  readonly find: RequestLogStore["find"] = async (...query) => (await this.#collected()).find(...query);
  readonly hasBodies: RequestLogStore["hasBodies"] = async (...query) => (await this.#collected()).hasBodies(...query);
  readonly bodiesOf: RequestLogStore["bodiesOf"] = async (...query) => (await this.#collected()).bodiesOf(...query);
  readonly mirrorsOf: RequestLogStore["mirrorsOf"] = async (...query) => (await this.#collected()).mirrorsOf(...query);
  readonly mirrorResults: RequestLogStore["mirrorResults"] = async (...query) => (await this.#collected()).mirrorResults(...query);
  readonly erase: RequestLogStore["erase"] = async (...query) => (await this.#collected()).erase(...query);
  readonly statistics: RequestLogStore["statistics"] = async (...query) => (await this.#collected()).statistics(...query);
  readonly #store: ReceivingRequestLogStore;
  readonly #processes = new ConnectedProcesses();

  constructor(store: ReceivingRequestLogStore) {
    this.#store = store;
  }

  connected(process: ConnectedProcess): void {
    this.#processes.add(process);
  }

  disconnected(processId: string): void {
    this.#processes.remove(processId);
  }

  note(ended: EndedRequest): void {
    this.#store.note(ended);
  }

  noteMirror(result: MirrorResult): void {
    this.#store.noteMirror(result);
  }

  receive(records: readonly LoggedRequest[]): void {
    this.#store.receive(records);
  }

  receiveBodies(received: readonly ReceivedBodies[]): void {
    this.#store.receiveBodies(received);
  }

  receiveMirrors(results: readonly MirrorResult[]): void {
    this.#store.receiveMirrors(results);
  }

  /** Without the requests that are pending in gateway processes. */
  state(): RequestLogState {
    return this.#store.state();
  }

  /** The store, with the requests that were pending in gateway processes. */
  async #collected(): Promise<ReceivingRequestLogStore> {
    await this.#processes.collect(`${this.name}.collect`);
    return this.#store;
  }
}
