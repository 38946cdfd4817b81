import { platformCommand } from "../../platform-command.ts";
import { inCount } from "../../words.ts";
import { UPSTREAM } from "./upstream-operand.ts";

interface ConnectionView {
  readonly ok: boolean;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly models: number | null;
  readonly problem: string | null;
}

const told = {
  print({ ok, status, duration_ms: ms, models }: ConnectionView): string {
    if (!ok) return status === null ? `There was no answer, after ${ms} ms.\n` : `It answered with status ${status} in ${ms} ms.\n`;
    return `It works: ${models === null ? "it answered" : `it lists ${inCount(models, "model")}`}, in ${ms} ms.\n`;
  },
  verdict: ({ ok, problem }: ConnectionView): string | undefined =>
    ok ? undefined : `the upstream cannot be used: ${adviceIn(problem ?? "it did not say why")}`,
};

export const testUpstream = platformCommand<ConnectionView>({
  summary: "Calls an upstream to see whether its address and credential are right. It costs nothing.",
  details: "It asks for the upstream's list of models. It fails, with exit code 1, where that does not work.",
  examples: ["upstreams test our-openai"],
  operands: [UPSTREAM],
  call: "POST /api/upstreams/{id}/test",
  ...told,
});

export const testCredential = platformCommand<ConnectionView>({
  summary: "Attempts a credential at an upstream before it is set. It costs nothing.",
  details: "It asks for the upstream's list of models with it, and keeps nothing. It fails, with exit code 1, where that does not work.",
  examples: ["upstreams credential test our-openai < secret.txt"],
  operands: [UPSTREAM],
  stdin: { field: "credential", what: "the credential" },
  call: "POST /api/upstreams/{id}/credential/test",
  ...told,
});

/** Here is no such option; another command has it. */
function adviceIn(problem: string): string {
  return problem.replace("allow_private: true", "upstreams update --allow-private yes");
}
