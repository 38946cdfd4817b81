import type { Command } from "../command.ts";
import { asJson, writeStdout } from "../output.ts";
import { bashCompletion } from "./bash.ts";
import { fishCompletion } from "./fish.ts";
import { completionPoints } from "./points.ts";
import { zshCompletion } from "./zsh.ts";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The completion command. It receives the commands as a function, because the table of commands contains it. */
export function completionCommand(commands: () => Readonly<Record<string, Command>>): Command {
  return {
    summary: "Print a shell completion script for commands, options and values.",
    details: `The script completes the name tollgate: with npx, first run \`alias tollgate='npx tollgate'\`. A comment at its top explains the installation.`,
    examples: ["completion bash", "completion zsh", "completion fish > ~/.config/fish/completions/tollgate.fish"],
    operands: [{ name: "SHELL", meaning: "shell", choices: Object.keys(SHELLS) }],
    options: {},
    async run({ json, operands }) {
      const shell = operands[0] as keyof typeof SHELLS;
      const script = SHELLS[shell](completionPoints(commands()));
      await writeStdout(json ? asJson({ shell, script }) : script);
    },
  };
}
