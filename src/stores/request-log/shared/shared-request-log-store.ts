import { ConnectedProcesses } from "../../../lib/ipc/connected-processes.ts";
import type { ConnectedProcess, OwnerService } from "../../../lib/ipc/ipc-service.ts";
import type { LoggedBodies, LoggedRequest } from "../../../requests/logged-request.ts";
import type { MirrorResult } from "../../../requests/mirror-result.ts";
import type { EndedRequest } from "../../../requests/request-notes.ts";
import type { ReceivedBodies } from "../queued-request.ts";
import type {
  AmountOrder,
  ErasedRequest,
  LogPosition,
  PositionedRequest,
  ReceivingRequestLogStore,
  RequestCount,
  RequestFilter,
  RequestLogState,
  RequestStatistics,
  RequestStatisticsQuery,
  SortedRequest,
} from "../request-log-store.ts";
import { fromSent, REQUESTS_SERVICE, type SentRequest } from "./sent-request.ts";

/** The owner's request log, including the requests that gateway processes send. Before a read, they send their pending requests. */
export class SharedRequestLogStore implements ReceivingRequestLogStore, OwnerService {
  readonly name = REQUESTS_SERVICE;
  readonly calls = {
    add: (_: ConnectedProcess, records: unknown) => this.receive((records as readonly SentRequest[]).map(fromSent)),
    addBodies: (_: ConnectedProcess, received: unknown) => this.receiveBodies(received as readonly ReceivedBodies[]),
    addMirrors: (_: ConnectedProcess, results: unknown) => this.receiveMirrors(results as readonly MirrorResult[]),
  };
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

  async list(
    filter: RequestFilter,
    from: LogPosition | undefined,
    direction: "older" | "newer",
    limit: number,
  ): Promise<readonly PositionedRequest[]> {
    return (await this.#collected()).list(filter, from, direction, limit);
  }

  async listSorted(
    filter: RequestFilter,
    order: AmountOrder,
    after: Pick<SortedRequest, "position" | "amount"> | undefined,
    limit: number,
  ): Promise<readonly SortedRequest[] | undefined> {
    return (await this.#collected()).listSorted(filter, order, after, limit);
  }

  async count(filter: RequestFilter): Promise<RequestCount> {
    return (await this.#collected()).count(filter);
  }

  async find(requestId: string): Promise<LoggedRequest | undefined> {
    return (await this.#collected()).find(requestId);
  }

  async hasBodies(requestId: string): Promise<boolean> {
    return (await this.#collected()).hasBodies(requestId);
  }

  async bodiesOf(requestId: string): Promise<LoggedBodies | undefined> {
    return (await this.#collected()).bodiesOf(requestId);
  }

  async mirrorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, MirrorResult>> {
    return (await this.#collected()).mirrorsOf(requestIds);
  }

  async mirrorResults(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    return (await this.#collected()).mirrorResults(model, fromMs, limit);
  }

  async erase(erased: readonly ErasedRequest[]): Promise<void> {
    return (await this.#collected()).erase(erased);
  }

  async statistics(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    return (await this.#collected()).statistics(query);
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
