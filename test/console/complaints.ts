const lists: string[][] = [];

/** Creates a list for the errors that a browser reports about a page. */
export function newComplaints(): string[] {
  const list: string[] = [];
  lists.push(list);
  return list;
}

export function forgetComplaints(): void {
  for (const list of lists) list.length = 0;
}
