import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { both, FAILED, openaiCases, answered, type HostileCase } from "../hostile-case.ts";
import { answersWith, goodBody, EVENTS_TYPE, GOOD_EVENTS, GOOD_JSON, JSON_TYPE, MB, replies } from "../on-the-wire.ts";
import { wholeReply } from "../../streams/raw-upstream.ts";

type Case = Omit<HostileCase, "name" | "dialect">;
type Pack = (bytes: Uint8Array | string) => Uint8Array;

const PACKERS: Record<string, Pack> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
};

/** A decompression bomb: a response with 64 MB of text. Only the upstream packs it, once. */
function bombOf(pack: Pack): () => Uint8Array {
  let bomb: Uint8Array | undefined;
  return () => (bomb ??= pack(GOOD_JSON.replace("Hello", "0".repeat(64 * MB))));
}

/** The gateway requests no compression and decompresses nothing: a compressed body is not a valid response. */
function casesOf(name: string, pack: Pack): [string, Case][] {
  const encoding = `content-encoding: ${name}`;
  const bomb = bombOf(pack);
  const refusal: Case["play"] = (...sent) => replies("500 Internal", [encoding], bomb().subarray(0, 100_000))(...sent);
  const packs =
    (body: () => Uint8Array): Case["play"] =>
    (socket, { stream }) =>
      void socket.write(wholeReply("200 OK", [stream ? EVENTS_TYPE : JSON_TYPE, encoding], body()));
  return [
    [`an answer in ${name}`, { play: (socket, request) => packs(() => pack(goodBody(request)))(socket, request), ...both(FAILED) }],
    [`a bomb in ${name}`, { play: packs(bomb), ...both(FAILED) }],
    [`a bomb in a bomb in ${name}`, { play: packs(() => pack(pack(bomb()))), ...both(FAILED) }],
    [`half a stream of ${name}`, { play: packs(() => pack(GOOD_EVENTS).subarray(0, 20)), ...both(FAILED) }],
    [`a refusal in ${name}`, { play: refusal, ...both(FAILED) }],
    [`plain bytes that it calls ${name}`, { play: answersWith(encoding), ...both(answered()) }],
  ];
}

export const encodingCases = openaiCases({
  ...Object.fromEntries(Object.entries(PACKERS).flatMap(([name, pack]) => casesOf(name, pack))),
  "an encoding nobody knows": { play: answersWith("content-encoding: x-nobody"), ...both(answered()) },
  "a hundred encodings": { play: answersWith(`content-encoding: ${"gzip, ".repeat(100)}br`), ...both(answered()) },
  "a bomb that it does not call one": { play: replies("200 OK", [JSON_TYPE], gzipSync(GOOD_JSON)), ...both(FAILED) },
});
