import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/gateway/start-gateway.ts";

const [, image] = readFileSync(join(ROOT, "deploy/Dockerfile"), "utf8").replaceAll("\\\n", "").split("\nFROM scratch\n");

/** The instructions of deploy/Dockerfile for the image itself, in order: `["USER", "1000:1000"]`. */
export const INSTRUCTIONS = image!
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => /^(\S+) (.*)$/.exec(line)!.slice(1) as [name: string, rest: string]);

/** The arguments of the only instruction with this name. */
export function instruction(name: string): string {
  return INSTRUCTIONS.find(([each]) => each === name)![1];
}

/** The variables of the image. */
export const IMAGE_ENV = Object.fromEntries(
  instruction("ENV")
    .split(" ")
    .map((word) => word.split("=") as [string, string]),
);
