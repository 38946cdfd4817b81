import { describe, expect, test } from "bun:test";
import { turn } from "../conversation.ts";
import { bodyOf, EMPTY_DRAFT } from "../draft.ts";
import { fillIn, variablesIn } from "./variables.ts";

describe("variables", () => {
  test("are found once each, in their order", () => {
    expect(variablesIn(["{{b}} and {{ a }}", "{{b}} {{größe_2}} {{}} {{1}} {c} {{a b}}"])).toEqual(["b", "a", "größe_2"]);
  });

  test("are replaced by their values, literally and once", () => {
    expect(fillIn("{{a}} {{ b }} {{c}}", { a: "$& {{b}}", b: "B" })).toBe("$& {{b}} B {{c}}");
  });

  test("without a value stay as typed, also with names of built-in properties", () => {
    expect(fillIn("{{a}} {{constructor}} {{__proto__}}", { a: "" })).toBe("{{a}} {{constructor}} {{__proto__}}");
  });

  test("are replaced in the system message and user messages only", () => {
    const turns = [
      turn({ role: "user", text: "Hi {{name}}", images: [] }),
      turn({ role: "assistant", text: "{{name}}", toolCalls: [] }),
      turn({ role: "user", text: "Bye {{name}}", images: [] }),
    ];
    expect(bodyOf("m", { ...EMPTY_DRAFT, system: "For {{name}}", turns, variables: { name: "Ada" } })["messages"]).toEqual([
      { role: "system", content: "For Ada" },
      { role: "user", content: "Hi Ada" },
      { role: "assistant", content: "{{name}}" },
      { role: "user", content: "Bye Ada" },
    ]);
  });
});
