import type { Command } from "../command.ts";
import { asJson, writeStdout } from "../output.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { completionPoints } from "./points.ts";
import { zshCompletion } from "./zsh.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The command that makes a shell know all the others. They are asked for only when it runs: it is one of them. */
export function completionCommand(commands: () => Readonly<Record<string, Command>>): Command {
  return {
    summary: "Prints a script that lets a shell complete tollgate's commands, options and their values.",
    details: `The script is for the name tollgate: with npx, first \`alias tollgate='npx tollgate'\`. A comment at its top says how to keep it.`,
    examples: ["completion bash", "completion zsh", "completion fish > ~/.config/fish/completions/tollgate.fish"],
    operands: [{ name: "SHELL", meaning: "which one", choices: Object.keys(SHELLS) }],
    options: {},
    async run({ json, operands }) {
      const shell = operands[0] as keyof typeof SHELLS;
      const script = SHELLS[shell](completionPoints(commands()));
      await writeStdout(json ? asJson({ shell, script }) : script);
    },
  };
}
