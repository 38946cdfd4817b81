/** The arguments that a shell passes to tollgate, without quotes, pipes and redirections. */
export function splitArguments(line: string): string[] {
  const own = line.slice(line.indexOf("tollgate ") + "tollgate ".length).replace(/ [<>] .*$/, "");
  return [...own.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}
