import { runTollgate } from "../../../test/support/gateway/run-tollgate.ts";
import { MODEL, type Check } from "../trial.ts";

/** A model this small may answer without the tool. The doctor then warns, but no check fails. */
export const DOCTOR: Check = {
  name: "tollgate doctor: no check fails",
  async run({ gateway }, expect) {
    const { code, stdout, stderr } = await runTollgate(gateway, ["doctor", MODEL]);
    const failed = stdout.split("\n").filter((line) => line.startsWith("✗") || line.includes("ECONNRESET"));
    expect.equal("failed checks", failed, []);
    expect.equal("exit code and standard error", [code, stderr], [0, ""]);
  },
};
