/** CPU of all threads in ms, since `from` was measured. */
export function usedMs(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** Bytes of the heap and of array buffers that are still in use: `node --expose-gc`. */
export function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
