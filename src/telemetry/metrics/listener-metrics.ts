import { CODES, GATEWAY_CODES, STATUS_CLASSES, type ListenerName } from "./label-values.ts";
import type { Family } from "./exposition.ts";
import { Series, type Tally } from "./series.ts";

/** The metrics of each listener. */
export class ListenerFamilies {
  readonly requests = Series.of("tollgate_http_requests_total");
  readonly errors = Series.of("tollgate_errors_total");

  get all(): readonly Family[] {
    return [this.requests, this.errors];
  }
}

/** Counts the requests of one listener, of any kind. All series exist from the start, so that none appears late. */
export class ListenerMetrics {
  readonly #classes: readonly Tally[];
  readonly #codes: ReadonlyMap<string, Tally>;

  constructor(families: ListenerFamilies, listener: ListenerName) {
    const codes = listener === "gateway" ? GATEWAY_CODES : CODES;
    this.#classes = STATUS_CLASSES.map((status) => families.requests.cell({ listener, status }));
    this.#codes = new Map(codes.map((code) => [code, families.errors.cell({ listener, code })]));
  }

  note(status: number, code: string | undefined): void {
    this.#classes[Math.floor(status / 100) - 1]!.value++;
    const errors = code === undefined ? undefined : this.#codes.get(code);
    if (errors) errors.value++;
  }
}
