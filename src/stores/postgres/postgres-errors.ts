import { SQL } from "bun";
import { StorageUnavailable, type StorageProblem } from "../../requests/storage-unavailable.ts";

/** SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) that are no fault of the statement. */
const PROBLEMS: readonly [state: RegExp, problem: StorageProblem][] = [
  [/^53100/, "full"],
  // Also a standby that the address points to after a failover.
  [/^25006/, "read-only"],
  // A lock or statement timeout, a deadlock, a serialization failure.
  [/^(55P03|57014|40P01|40001)/, "locked"],
  // Connection errors, too many connections, a server that starts or stops, and a transaction that took too long.
  [/^(08|53|57P|25P03)/, "unreachable"],
  [/^(58|XX001)/, "failing"],
];

/** A statement that was not answered in time. */
export class QueryTimeout extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = "QueryTimeout";
  }
}

/** The error as `StorageUnavailable` where the database cannot be used at the moment, and as it is otherwise. */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof QueryTimeout || isAborted(error)) return new StorageUnavailable("unreachable", { cause: error });
  if (!(error instanceof SQL.PostgresError)) return error;
  const { errno: state } = error;
  // Errors without a state are the client's own: the connection failed, or has ended.
  const problem = state === undefined ? "unreachable" : PROBLEMS.find(([pattern]) => pattern.test(state))?.[1];
  return problem ? new StorageUnavailable(problem, { cause: error }) : error;
}

/** No connection of the pool was free in time. */
function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
