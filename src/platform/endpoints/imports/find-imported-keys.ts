import { operators } from "../../../access/access.ts";
import { idOfImported } from "../../../access/api-key.ts";
import { operation, type Operation } from "../../operation.ts";
import type { Platform } from "../../platform.ts";
import { sha256Schema } from "./sha256-schema.ts";

const MAX_KEYS = 1000;

/**
 * POST /api/imports/keys/find: what keys of another gateway were imported as. An import finds its own keys and accounts by them, whatever their ids.
 * It is a POST because of its length. For operators only: it tells whether a key exists.
 */
export function findImportedKeys(platform: Platform): Operation {
  return operation({
    method: "POST",
    path: "/api/imports/keys/find",
    access: operators("keys:read"),
    operationId: "findImportedKeys",
    summary: "Find imported keys and their accounts by the hashes of the keys. It changes nothing.",
    body: {
      title: "FindImportedKeysRequest",
      type: "object",
      additionalProperties: false,
      required: ["sha256"],
      properties: { sha256: { type: "array", minItems: 1, maxItems: MAX_KEYS, items: sha256Schema } },
    },
    maxBodyBytes: 128 * 1024,
    reply: {
      status: 200,
      description: "The key and the account of each hash, in the order of the request.",
      json: {
        title: "FoundImportedKeys",
        type: "object",
        required: ["keys", "accounts"],
        properties: {
          keys: {
            type: "array",
            items: { type: "string", nullable: true, description: "The id of the key here; null for none." },
          },
          accounts: {
            type: "array",
            items: {
              type: "string",
              nullable: true,
              description: "The id of the account, also of a key that was rotated here since; null for none.",
            },
          },
        },
      },
    },
    async run({ body }) {
      const { keys, hashSecret } = platform;
      const found = body.sha256.map((sha256) => keys.find(idOfImported(sha256, hashSecret)));
      return { keys: found.map((key) => key?.id ?? null), accounts: found.map((key) => key?.accountId ?? null) };
    },
  });
}
