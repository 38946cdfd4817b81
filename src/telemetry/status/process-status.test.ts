import { expect, test } from "bun:test";
import { LinkedServices } from "../../../test/support/linked-services.ts";
import { endedRequest } from "../../../test/request-log/ended-requests.ts";
import { ProcessStatuses, StatusReporter } from "./process-status.ts";

async function startProcess(links: LinkedServices, id: string, pendingRequests: number): Promise<StatusReporter> {
  let reporter: StatusReporter;
  const listener = { pendingRequests, connections: { authenticated: 2, unauthenticated: 3 } };
  await links.start(id, (owner) => (reporter = new StatusReporter(owner, () => listener)).service);
  return reporter!;
}

test("the owner has the last status of each process until it ends", async () => {
  const statuses = new ProcessStatuses();
  const links = new LinkedServices(statuses.service);
  const one = await startProcess(links, "1", 7);
  await startProcess(links, "2", 8);
  one.observe(endedRequest());
  one.observe(endedRequest({ path: "/v1/models" }));
  await statuses.service.collect();
  expect(statuses.statusOf("1")).toEqual({
    requestsInFlight: 7,
    connections: 5,
    residentMemoryBytes: expect.any(Number),
    requestsServed: 2,
  });
  expect(statuses.statusOf("2")).toMatchObject({ requestsInFlight: 8, requestsServed: 0 });
  links.disconnect("1");
  expect(statuses.statusOf("1")).toMatchObject({ requestsServed: 2 });
  links.end("1");
  expect(statuses.statusOf("1")).toBeUndefined();
  expect(statuses.statusOf("2")).toBeDefined();
});

test("a new owner has the status of a process as soon as it is connected", async () => {
  const links = new LinkedServices(new ProcessStatuses().service);
  await startProcess(links, "1", 7);
  const statuses = new ProcessStatuses();
  await links.replaceOwner(statuses.service);
  await links.idle();
  expect(statuses.statusOf("1")).toMatchObject({ requestsInFlight: 7 });
});
