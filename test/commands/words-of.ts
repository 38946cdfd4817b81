/** What a shell hands to tollgate, of a command line that it is part of: quotes taken off, pipes and redirections left out. */
export function wordsOf(line: string): string[] {
  const own = line.slice(line.indexOf("tollgate ") + "tollgate ".length).replace(/ [<>] .*$/, "");
  return [...own.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}
