import { hostname } from "node:os";
import { randomBase62 } from "../../lib/text/base62.ts";

const MAX_NAME_LENGTH = 40;

/**
 * A new id of a process that shares a database. It begins with the name of the machine, and the number of the process on it, if it has one.
 */
export function newInstanceId(place?: number): string {
  const machine = hostname()
    .replaceAll(/[^A-Za-z0-9-]/g, "-")
    .slice(0, MAX_NAME_LENGTH);
  return [machine, ...(place === undefined ? [] : [place]), randomBase62(8)].join("-");
}
