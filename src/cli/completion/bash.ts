import type { CompletedOption, Point } from "./points.ts";

/** Completion for bash, without the bash-completion package. */
export function bashCompletion(points: readonly Point[]): string {
  const calls = points.filter(({ words }) => words.length > 0).map(({ words }) => `" ${words.join(" ")}"`);
  return `# Completion of tollgate for bash. To install it: echo 'source <(tollgate completion bash)' >> ~/.bashrc
_tollgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" called="" candidates="" files="" at
  # Bash splits --state=active into three words.
  if [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$word" = "=" ]; then word=""; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$called \${COMP_WORDS[at]}" in
      ${calls.join("|")}) called="$called \${COMP_WORDS[at]}" ;;
      *) break ;;
    esac
  done
  case "$called" in
${points.map(caseOf).join("")}  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
  if [ -n "$files" ]; then
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$word"))
    compopt -o filenames 2> /dev/null
  fi
}
complete -F _tollgate tollgate
`;
}

function caseOf({ words, next, options, operands, takesFile }: Point): string {
  const called = words.map((word) => ` ${word}`).join("");
  const candidates = [...next.map(({ word }) => word), ...operands, ...options.map(({ name }) => `--${name}`)].join(" ");
  return `    "${called}")
      case "$before" in
${valueCases(options).join("")}        *) candidates="${candidates}"${takesFile ? " files=yes" : ""} ;;
      esac ;;
`;
}

/** The values of an option; none are offered if it can be anything. */
function valueCases(options: readonly CompletedOption[]): string[] {
  const free = options.filter(({ value }) => value === "anything").map(({ name }) => `--${name}`);
  const known = options.flatMap(({ name, value }) => {
    if (value === "none" || value === "anything") return [];
    return `        --${name}) ${value === "file" ? "files=yes" : `candidates="${value.join(" ")}"`} ;;\n`;
  });
  return free.length === 0 ? known : [`        ${free.join("|")}) ;;\n`, ...known];
}
