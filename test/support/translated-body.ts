import { expect } from "bun:test";
import { topLevelFields } from "../../src/lib/json/json-text.ts";
import type { TranslatedRequest } from "../../src/gateway/formats/translation.ts";

/** The body of a translated request. Its text, which is written from the outline, must say the same. */
export function translatedBody(request: TranslatedRequest): Record<string, unknown> {
  const { body, text, byteText, fields } = request;
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(body)));
  expect(fields).toEqual(topLevelFields(byteText));
  return body;
}
