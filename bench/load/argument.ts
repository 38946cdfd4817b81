import { argv, exit, stderr, stdout } from "node:process";

/** The measurement is not possible. The message is for the terminal. */
export class CannotMeasure extends Error {}

/** Runs a load program: reads its argument as JSON, and prints its result as one line of JSON. */
export async function runProgram<Given extends object>(
  required: readonly (keyof Given & string)[],
  measure: (given: Given) => Promise<object>,
): Promise<void> {
  const start = Bun.nanoseconds();
  try {
    const result = await measure(parseArgument(required, argv[2]));
    const seconds = Math.round((Bun.nanoseconds() - start) / 1e6) / 1000;
    stdout.write(`${JSON.stringify({ ...result, seconds })}\n`, () => exit(0));
  } catch (thrown) {
    fail(thrown);
  }
}

/** The argument of a program that runs until it is terminated. */
export function readArgument<Given extends object>(required: readonly (keyof Given & string)[]): Given {
  try {
    return parseArgument(required, argv[2]);
  } catch (thrown) {
    return fail(thrown);
  }
}

function parseArgument<Given extends object>(required: readonly (keyof Given & string)[], text = "{}"): Given {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new CannotMeasure(`The argument is not JSON: ${text.slice(0, 100)}`);
  }
  if (typeof given !== "object" || given === null) throw new CannotMeasure("The argument is not an object.");
  const missing = required.filter((name) => !(name in given));
  if (missing.length > 0) throw new CannotMeasure(`The argument lacks: ${missing.join(", ")}. See bench/load/README.md.`);
  return given as Given;
}

function fail(thrown: unknown): never {
  stderr.write(`${thrown instanceof CannotMeasure ? thrown.message : String((thrown as Error).stack)}\n`);
  exit(1);
}
