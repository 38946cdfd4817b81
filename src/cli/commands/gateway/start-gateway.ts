import { CommandFailed, type Command } from "../../command.ts";

export const startGateway: Command = {
  summary: "Starts the gateway and the platform, in this terminal.",
  details: `It needs no configuration: what it finds, and what it makes on the first start, is printed once. A
tollgate.yaml in this folder, or the file that TOLLGATE_CONFIG names, declares what there is instead.
Ctrl-C drains: answers under way are finished, for up to TOLLGATE_DRAIN_SECONDS; a second one cuts them.`,
  examples: ["start", "start --json"],
  operands: [],
  options: {},
  // `cli/start.ts` is what starts one. The other commands are clients: they need not bring a gateway along.
  run: () => Promise.reject(new CommandFailed("start is a program of its own: call it by bin/tollgate")),
};
