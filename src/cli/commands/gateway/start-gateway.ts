import { CommandFailed, type Command } from "../../command.ts";

export const startGateway: Command = {
  summary: "Start the gateway and the platform in this terminal.",
  details: `It needs no configuration: it detects providers and local servers, and prints the first key once. With a tollgate.yaml in this folder, or
the file named by TOLLGATE_CONFIG, it serves the declared models instead. Ctrl-C drains: in-flight requests are finished for up to
TOLLGATE_DRAIN_SECONDS; a second Ctrl-C cancels them.`,
  examples: ["start", "start --processes auto", "start --role gateway", "start --json"],
  operands: [],
  options: {
    processes: {
      meaning: "number of gateway processes, from 1 to 256, or auto for one per core (default: TOLLGATE_PROCESSES, else 1)",
      value: "N",
    },
    role: {
      meaning:
        "with TOLLGATE_DATABASE_URL: serve model clients (gateway), operators (platform), or both (default: TOLLGATE_ROLE, else all)",
      value: "all|gateway|platform",
      choices: ["all", "gateway", "platform"],
    },
  },
  // `cli/start.ts` is the program that starts a gateway. The other commands are clients and do not load one.
  run: () => Promise.reject(new CommandFailed("start is a separate program: run it with bin/tollgate")),
};
