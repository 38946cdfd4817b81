import type { CompletedOption, Point } from "./points.ts";

/** Completion for zsh: loaded by compinit as \`_tollgate\`, or sourced after it. */
export function zshCompletion(points: readonly Point[]): string {
  const calls = points.filter(({ words }) => words.length > 0).map(({ words }) => `" ${words.join(" ")}"`);
  return `#compdef tollgate
# Completion of tollgate for zsh. To install it, after compinit: echo 'source <(tollgate completion zsh)' >> ~/.zshrc
_tollgate() {
  local called="" before="\${words[CURRENT-1]}" at
  local -a candidates
  for ((at = 2; at < CURRENT; at++)); do
    case "$called \${words[at]}" in
      (${calls.join("|")}) called="$called \${words[at]}" ;;
      (*) break ;;
    esac
  done
  case "$called" in
${points.map(caseOf).join("")}  esac
}
if [ "$funcstack[1]" = "_tollgate" ]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`;
}

function caseOf({ words, next, options, operands, takesFile }: Point): string {
  const called = words.map((word) => ` ${word}`).join("");
  const candidates = [
    ...next.map(({ word, meaning }) => describe(word, meaning)),
    ...operands.map((operand) => quote(operand)),
    ...options.map(({ name, meaning }) => describe(`--${name}`, meaning)),
  ];
  return `    ("${called}")
      case "$before" in
${options.map(valueCase).join("")}        (*)
          candidates=(${candidates.join(" ")})
          _describe tollgate candidates${takesFile ? "; _files" : ""} ;;
      esac ;;
`;
}

function valueCase({ name, meaning, value }: CompletedOption): string {
  if (value === "none") return "";
  if (value === "anything") return `        (--${name}) _message ${quote(meaning)} ;;\n`;
  if (value === "file") return `        (--${name}) _files ;;\n`;
  return `        (--${name}) candidates=(${value.join(" ")}); _describe ${quote(name)} candidates ;;\n`;
}

function describe(word: string, meaning: string): string {
  return quote(`${word}:${meaning}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
