import type { Dialect } from "../dialect.ts";

function later(): never {
  throw new Error("not written yet");
}

export const geminiDialect: Dialect = {
  request: later,
  readCompletion: later,
  readEvents: later,
  refusal: later,
  modelsRequest: later,
  modelsIn: later,
};
