import { expect, test } from "bun:test";
import type { Connection } from "./connection.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";

/** A connection that counts how often it is examined. */
class CountedConnection {
  looks = 0;
  isOld = false;

  get isReplaceable(): boolean {
    this.looks++;
    return this.isOld;
  }

  get isYoung(): boolean {
    return !this.isOld;
  }

  as(): Connection {
    return this as unknown as Connection;
  }
}

test("the search for a replaceable connection ends at the first young one", () => {
  const connections = new UnauthenticatedConnections();
  const all = Array.from({ length: 100 }, () => new CountedConnection());
  for (const each of all) {
    connections.oldestReplaceable("network");
    connections.oldestReplaceable();
    connections.add(each.as(), "network");
  }
  expect([all[0]!.looks, all[1]!.looks]).toEqual([198, 0]);
  all[0]!.isOld = true;
  expect(connections.oldestReplaceable("network")).toBe(all[0]!.as());
  connections.delete(all[0]!.as());
  expect(connections.oldestReplaceable("network")).toBeUndefined();
});
