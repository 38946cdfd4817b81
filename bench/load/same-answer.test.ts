import { expect, test } from "bun:test";
import { answerAs } from "../mock/answer.ts";
import { compareAnswers } from "./same-answer.ts";

const ORIGINAL = Buffer.from(answerAs("m"));

interface Answer {
  choices: { message: { content: string }; finish_reason: string }[];
  usage: { prompt_tokens: number };
}

/** The response as a gateway would write it after parsing and serializing it. */
function serializedAgain(change: (answer: Answer) => void): Buffer {
  const answer = JSON.parse(ORIGINAL.toString()) as Answer;
  change(answer);
  return Buffer.from(JSON.stringify(answer, null, 1));
}

test("the same bytes are identical, and other bytes with the same text and token counts are changed", () => {
  expect(compareAnswers(Buffer.from(ORIGINAL), ORIGINAL)).toBe("identical");
  expect(
    compareAnswers(
      serializedAgain(() => {}),
      ORIGINAL,
    ),
  ).toBe("changed");
});

test("another text, finish reason or token count is wrong, and so is anything but JSON", () => {
  const wrong = [
    serializedAgain(({ choices }) => (choices[0]!.message.content += "!")),
    serializedAgain(({ choices }) => (choices[0]!.finish_reason = "length")),
    serializedAgain(({ usage }) => usage.prompt_tokens++),
    serializedAgain(({ choices }) => choices.pop()),
    ORIGINAL.subarray(0, -1),
  ];
  expect(wrong.map((body) => compareAnswers(body, ORIGINAL))).toEqual(wrong.map(() => "wrong"));
});
