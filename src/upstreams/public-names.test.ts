import { expect, test } from "bun:test";
import { publicNames } from "./public-names.ts";

test.each([
  ["/home/ann/models/SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-135M-Instruct.Q4_1"],
  ["C:\\models\\Qwen3-8B-Q4_K_M.gguf", "Qwen3-8B-Q4_K_M"],
  ["d:/models/Qwen3-8B-Q4_K_M.GGUF", "Qwen3-8B-Q4_K_M"],
  ["\\\\server\\share\\phi-4.gguf", "phi-4"],
  ["models/phi-4.gguf", "phi-4"],
  ["phi-4.gguf", "phi-4"],
  ["./phi-4.gguf", "phi-4"],
  ["~/models/phi-4.gguf", "phi-4"],
  ["/models/Llama-3.3-70B-Q4_K_M-00001-of-00002.gguf", "Llama-3.3-70B-Q4_K_M"],
  ["/models/Llama-3.1-8B-Instruct", "Llama-3.1-8B-Instruct"],
  ["/models/Llama-3.1-8B-Instruct/", "Llama-3.1-8B-Instruct"],
  ["/models/My model * (new).gguf", "My-model-(new)"],
])("the path %s becomes %s", (path, name) => {
  expect(publicNames([path])).toEqual([name]);
});

test("does not change a name that is not a path", () => {
  const names = [
    "llama3.2:latest",
    "meta-llama/Llama-3.1-8B",
    "hf.co/bartowski/Llama-3.2-1B-Instruct-GGUF:Q4_K_M",
    "qwen2.5-7b",
    "/",
    ".gguf",
  ];
  expect(publicNames(names)).toEqual(names);
});

test("distinguishes models with the same file name by their folders, in any order", () => {
  const names = new Map([
    ["/models/a/model.gguf", "a/model"],
    ["/models/b/model.gguf", "models/b/model"],
    ["/other/b/model.gguf", "other/b/model"],
    ["/models/phi.gguf", "models/phi"],
    ["phi", "phi"],
  ]);
  for (const ids of [[...names.keys()], [...names.keys()].toReversed()]) expect(publicNames(ids)).toEqual(ids.map((id) => names.get(id)!));
});
