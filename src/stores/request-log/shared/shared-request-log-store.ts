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
    await this.#collect();
    return this.#store.list(filter, from, direction, limit);
  }

  async listSorted(
    filter: RequestFilter,
    order: AmountOrder,
    after: Pick<SortedRequest, "position" | "amount"> | undefined,
    limit: number,
  ): Promise<readonly SortedRequest[] | undefined> {
    await this.#collect();
    return this.#store.listSorted(filter, order, after, limit);
  }

  async count(filter: RequestFilter): Promise<RequestCount> {
    await this.#collect();
    return this.#store.count(filter);
  }

  async find(requestId: string): Promise<LoggedRequest | undefined> {
    await this.#collect();
    return this.#store.find(requestId);
  }

  async hasBodies(requestId: string): Promise<boolean> {
    await this.#collect();
    return this.#store.hasBodies(requestId);
  }

  async bodiesOf(requestId: string): Promise<LoggedBodies | undefined> {
    await this.#collect();
    return this.#store.bodiesOf(requestId);
  }

  async mirrorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, MirrorResult>> {
    await this.#collect();
    return this.#store.mirrorsOf(requestIds);
  }

  async mirrorResults(model: string, fromMs: number, limit: number): Promise<readonly MirrorResult[]> {
    await this.#collect();
    return this.#store.mirrorResults(model, fromMs, limit);
  }

  async erase(erased: readonly ErasedRequest[]): Promise<void> {
    await this.#collect();
    return this.#store.erase(erased);
  }

  async statistics(query: RequestStatisticsQuery): Promise<RequestStatistics> {
    await this.#collect();
    return this.#store.statistics(query);
  }

  /** Without the requests that are pending in gateway processes. */
  state(): RequestLogState {
    return this.#store.state();
  }

  #collect(): Promise<void> {
    return this.#processes.collect(`${this.name}.collect`);
  }
}
