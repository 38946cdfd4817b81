import { describe, expect, test } from "bun:test";
import type { Instance, InstanceWithLeases } from "../../../../platform-client/types.ts";
import { viewInstance, viewInstanceWithLeases } from "../../../platform/endpoints/instances.ts";
import { SAMPLE_PROCESSES, SHARING_PROCESSES } from "../../../../test/support/gateway/sample-processes.ts";
import { describeInstance, formatInstances, describeWriteOff } from "./instances.ts";

const data = SAMPLE_PROCESSES.map((process) => viewInstance(process) as unknown as Instance);

describe("the table of instances", () => {
  test("is complete without a terminal", () => {
    expect(formatInstances({ data, restarting: false }, undefined)).toBe(
      `ID        ROLE     STATE          PID  IN FLIGHT  CONNECTIONS  MEMORY  HEARTBEAT        LEASED
owner     owner    live          4100          0            0  232 MB          -   -
8kQ2vXp0  gateway  live          4107         37        1,204  182 MB     413 ms  12.437500001
Zr51mC7d  gateway  draining      4108          2            2  182 MB     413 ms   1.00
p0Yw4LbN  gateway  disconnected  4109         37        1,204  182 MB     12.8 s   0.50
t7Hs9GfE  gateway  starting      4131          0            0    0 MB          -   0.00
`,
    );
  });

  test("fits 80 columns, without the connections first, then without the process IDs", () => {
    const lines = formatInstances({ data, restarting: false }, 80).split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines[0]).toMatch(/^ID +ROLE +STATE +IN FLIGHT +MEMORY +HEARTBEAT +LEASED$/);
    expect(formatInstances({ data: data.slice(0, 3), restarting: false }, 88).split("\n")[0]).toMatch(/ PID +IN FLIGHT +MEMORY /);
  });

  test("has the machines of processes that share a database, and their open holds", () => {
    const sharing = SHARING_PROCESSES.map((process) => viewInstance(process) as unknown as Instance);
    expect(formatInstances({ data: sharing, restarting: false }, undefined)).toBe(
      `ID               ROLE      STATE         HOST     PID  IN FLIGHT  CONNECTIONS  MEMORY  HEARTBEAT  OPEN HOLDS  LEASED
gate-1-8kQ2vXp0  all       live          gate-1  4107         37        1,204  182 MB     413 ms           2    0.00
gate-2-Zr51mC7d  gateway   disconnected  gate-2  4108         37        1,204  182 MB  1 min 1 s           1    0.50
desk-p0Yw4LbN    platform  live          desk    4109          0            0  182 MB     413 ms           0    0.00
`,
    );
  });

  test("says that a rolling restart is in progress", () => {
    expect(formatInstances({ data, restarting: true }, 80)).toEndWith("\n\nA rolling restart is in progress.\n");
  });
});

function show(at: number): string {
  return describeInstance(viewInstanceWithLeases(SAMPLE_PROCESSES[at]!));
}

describe("a write-off", () => {
  const instance = viewInstance(SHARING_PROCESSES[1]!) as unknown as Instance;

  test("shows what the process stranded", () => {
    const written = { written_off: true, instance };
    expect(describeWriteOff(written)).toBe("Wrote off gate-2-Zr51mC7d: $0.50 in 1 lease, with 1 open hold of $0.04.\n");
  });

  test("shows in its preview what the process strands, and that nothing was changed", () => {
    expect(describeWriteOff({ written_off: false, instance })).toBe(
      "gate-2-Zr51mC7d strands $0.50 in 1 lease, with 1 open hold of $0.04.\nNothing was changed. Without --preview it is written off.\n",
    );
  });

  test("changes nothing a second time", () => {
    const before = { ...instance, state: "written_off" } as const;
    expect(describeWriteOff({ written_off: false, instance: before })).toContain("was written off before");
  });
});

describe("an instance", () => {
  test("that shares a database has its machine and its open holds", () => {
    const text = describeInstance(viewInstanceWithLeases(SHARING_PROCESSES[1]!));
    expect(text).toContain("gate-2-Zr51mC7d (gateway), process 4108 on gate-2\n");
    expect(text).toMatch(/^Leased +\$0.50, 1 lease\nOpen holds +1 request, \$0.04$/m);
  });

  test("has its leases, the largest first, and a sum that counts no key again", () => {
    expect(show(1)).toBe(
      `Instance        8kQ2vXp0 (gateway), process 4107
State           live
Version         0.1.0
Started         2027-01-31 12:00:00 UTC
Last heartbeat  413 ms ago
In flight       37 requests on 1,204 connections
Memory          182 MB
Leased          $12.437500001, 3 leases

LEASE OF                AMOUNT
account acme      10.000000001
account default    2.4375
key 1t8M70XpfTe0   0.75
`,
    );
  });

  test("that is not a gateway process has neither heartbeat nor leases", () => {
    expect(show(0)).not.toMatch(/heartbeat|Leased|LEASE/);
  });

  test("names the number of leases that are not listed", () => {
    const leases = Array.from({ length: 1003 }, (_, at) => ({ purse: { scope: "account", id: `a${at}` } as const, nanos: BigInt(at) }));
    const many = viewInstanceWithLeases({ ...SAMPLE_PROCESSES[1]!, leases }) as unknown as InstanceWithLeases;
    expect(many.leases.at(0)).toEqual({ kind: "account", id: "a1002", amount: "0.000001002" });
    expect(describeInstance(many)).toEndWith("\nand 3 smaller leases\n");
  });
});
