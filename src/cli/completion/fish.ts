import type { CompletedOption, Point } from "./points.ts";

/** Completion for fish: a line for each word that can follow another. */
export function fishCompletion(points: readonly Point[]): string {
  const calls = points.filter(({ words }) => words.length > 0).map(({ words }) => quote(words.join(" ")));
  return `# Completion of tollgate for fish. To install it: tollgate completion fish > ~/.config/fish/completions/tollgate.fish
function __tollgate_called
    set -l called
    for word in (commandline -opc)[2..-1]
        contains -- (string join -- ' ' $called $word) ${calls.join(" ")}; or break
        set called $called $word
    end
    test "$called" = "$argv"
end
complete -c tollgate -f
${points.flatMap(linesFor).join("")}`;
}

function linesFor({ words, next, options, operands, takesFile }: Point): string[] {
  const here = `complete -c tollgate -n ${quote(["__tollgate_called", ...words].join(" "))}`;
  return [
    ...next.map(({ word, meaning }) => `${here} -a ${word} -d ${quote(meaning)}\n`),
    ...operands.map((operand) => `${here} -a ${operand}\n`),
    ...(takesFile ? [`${here} -F\n`] : []),
    ...options.map(({ name, meaning, value }) => `${here} -l ${name}${takes(value)} -d ${quote(meaning)}\n`),
  ];
}

function takes(value: CompletedOption["value"]): string {
  if (value === "none") return "";
  if (value === "file") return " -r -F";
  return value === "anything" ? " -x" : ` -x -a ${quote(value.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
