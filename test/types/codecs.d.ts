declare module 'lz4js' {
  export function compress(input: Uint8Array): Uint8Array;
}

declare module 'snappyjs' {
  export function compress(input: Buffer): Buffer;
}
