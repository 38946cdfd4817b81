import type { Command } from "../../command.ts";

export const startGateway: Command = {
  summary: "Starts the gateway and the platform, in this terminal.",
  details: `It needs no configuration: what it finds, and what it makes on the first start, is printed once. A
tollgate.yaml in this folder, or the file that TOLLGATE_CONFIG names, declares what there is instead.
Ctrl-C lets answers under way finish; a second one does not wait for them.`,
  examples: ["start", "start --json"],
  operands: [],
  options: {},
  async run(invocation) {
    // Loaded only now: the other commands are clients, and need not wait for a gateway to be read in.
    const { runGateway } = await import("./run-gateway.ts");
    await runGateway(invocation);
  },
};
