/** The first message of a gateway process on a connection, as the notice `join`. */
export interface Hello {
  readonly id: string;
  readonly pid: number;
  readonly startedAtMs: number;
  /** Identifies the program and the settings that the process runs with. */
  readonly settingsDigest: string;
  /** Whether it serves requests already: it has outlived the previous owner, or has lost the connection. */
  readonly isListening: boolean;
  /** By the name of the service. */
  readonly statements: Readonly<Record<string, unknown>>;
}

/** The owner's answer, as the notice `welcome`. Notices that it sends later arrive later: they build on this state. */
export interface Welcome {
  /** By the name of the service. */
  readonly initial: Readonly<Record<string, unknown>>;
}

/** The owner's answer to a process that is not one of its own, as a notice: the process is to end. */
export const REFUSED = "refused";

/** What a handler of `name.method` needs of a table of services. Throws for a method that nobody has. */
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
