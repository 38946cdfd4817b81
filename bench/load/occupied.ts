import { readdirSync } from "node:fs";
import { isUp, treeOf, treeRssMib } from "../machine/process-tree.ts";
import { CannotMeasure } from "./argument.ts";

/** Memory and files of a process and all of its descendants: some gateways have worker processes. */
export interface OccupiedResources {
  readonly rssKb: number;
  readonly fds: number;
}

export function occupiedBy(pid: number): OccupiedResources {
  if (!isUp(pid)) throw new CannotMeasure(`There is no process ${pid}.`);
  return { rssKb: treeRssMib(pid) * 1024, fds: treeOf(pid).reduce((sum, each) => sum + descriptors(each), 0) };
}

function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
