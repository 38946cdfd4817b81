/** A gateway process's first message on a connection, as the notice `join`. */
export interface Hello {
  readonly id: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Identifies the program and the settings that the process runs with. */
  readonly settingsDigest: string;
  /** Whether it already serves requests: it has outlived the previous owner, or has lost the connection. */
  readonly isListening: boolean;
  /** By service name. */
  readonly statements: Readonly<Record<string, unknown>>;
}

/** The owner's reply, as the notice `welcome`. Later notices arrive after it, because they build on this state. */
export interface Welcome {
  /** By service name. */
  readonly initial: Readonly<Record<string, unknown>>;
}

/** The owner's reply to a process that does not belong to it, as a notice: the process has to end. */
export const REFUSED = "refused";

/** Finds the handler of `name.method` in a table of services. Throws if no service has the method. */
export function findHandler<Service extends { readonly name: string }, Handler>(
  services: ReadonlyMap<string, Service>,
  method: string,
  handlersOf: (service: Service) => Readonly<Record<string, Handler>> | undefined,
): Handler {
  const at = method.indexOf(".");
  const service = services.get(method.slice(0, at));
  const handler = service && handlersOf(service)?.[method.slice(at + 1)];
  if (!handler) throw new Error(`there is no ${method}`);
  return handler;
}

export function byName<Service extends { readonly name: string }>(services: readonly Service[]): ReadonlyMap<string, Service> {
  return new Map(services.map((service) => [service.name, service]));
}
