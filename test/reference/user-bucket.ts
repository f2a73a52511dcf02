/** FNV-1a, 32 bit, of the UTF-8 bytes. */
export function fnv(text: string): number {
  let h = 2166136261;
  for (const byte of Buffer.from(text, 'utf8')) h = Math.imul(h ^ byte, 16777619);
  return h >>> 0;
}

/** The finaliser of MurmurHash3, 32 bit. */
function mixed(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Bucket of 256 of a user; of a request where there is no user. */
export function userBucket(id: string): number {
  return mixed(fnv(`receval/bucket/1:${id}`)) % 256;
}
